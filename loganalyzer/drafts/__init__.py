"""Drafts of rules, and what they would have changed on recorded traffic: nothing here touches a server."""

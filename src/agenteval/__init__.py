"""Evaluate agents: outcome, path and reliability, as plain functions over plain data."""

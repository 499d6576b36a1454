"""Declaring operators: schemas, the registry, and declarations that succeed as a whole or have no effect."""

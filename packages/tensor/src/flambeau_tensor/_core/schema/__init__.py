"""Declaring operators: schemas, where operators are found, and declarations made as a whole or not at all."""

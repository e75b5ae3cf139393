"""The archive: packs, where they are kept, sealing and the store that reads what is sealed."""

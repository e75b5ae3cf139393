"""The archive: packs of sealed streams and of copies, written once, and the store that reads what is sealed."""

-- The origins whose pages may show the board of a space in a frame. Null: all of them.
ALTER TABLE space_pages ADD COLUMN embed_origins text[];

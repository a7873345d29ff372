-- Public pages of starboards: /b/{id}. A starboard without a row has no public page.
CREATE TABLE starboard_pages (
  starboard_id text COLLATE "C" PRIMARY KEY REFERENCES starboards,
  published_at timestamptz NOT NULL
);

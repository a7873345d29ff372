-- Public pages of spaces: /s/{slug}. A space without a row has no public page.
CREATE TABLE space_pages (
  space_id integer PRIMARY KEY REFERENCES spaces,
  slug text NOT NULL UNIQUE,
  published_at timestamptz NOT NULL
);

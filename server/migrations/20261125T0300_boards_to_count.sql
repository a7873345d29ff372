-- The row exists before the first counts, so that instances and deletions lock it; until then the version is null.
ALTER TABLE board_counted ALTER COLUMN version DROP NOT NULL;

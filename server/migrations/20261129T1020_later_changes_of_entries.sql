-- For each entry on a page, a reversal looks for the entry with which the award became available, and for the deletion of
-- the sprint. Awards that count at once are in neither index.
CREATE INDEX ledger_entries_by_award ON ledger_entries (space_id, award) WHERE award IS NOT NULL;
CREATE INDEX ledger_entries_by_removal ON ledger_entries (space_id, address, sprint_id, version) WHERE source = 'removal';

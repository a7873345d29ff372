-- The own address of an account stores the account for which it was created. After a merge, that of the remaining account
-- is used first.
UPDATE identity_aliases SET subject = account_id::text WHERE kind = 'AccountAddress';

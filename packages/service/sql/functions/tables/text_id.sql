-- The id of a text that is kept once however many name it.
create or replace function text_id(content text) returns uuid language sql immutable strict
return encode(substr(sha256(convert_to(content, 'UTF8')), 1, 16), 'hex')::uuid;

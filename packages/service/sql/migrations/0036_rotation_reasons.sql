-- Why a key began to sign before its time: null by schedule.
alter table signing_keys add column rotation_reason text;
alter table evidence_keys add column rotation_reason text;

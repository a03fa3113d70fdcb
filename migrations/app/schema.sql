-- What the migrations of this folder amount to, for reading and review.
-- Rewritten by: UPDATE_SCHEMA=1 npx vitest run test/support/describe-schema.test.ts

create table app.abis (
  id bigint not null generated always as identity,
  address bytea,
  name text not null,
  abi jsonb not null,
  created_by text not null,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint abis_pkey PRIMARY KEY (id),
  constraint abis_abi_check CHECK ((jsonb_typeof(abi) = 'array'::text)),
  constraint abis_key UNIQUE NULLS NOT DISTINCT (address, name),
  constraint abis_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

create table app.address_labels (
  address bytea not null,
  label text not null,
  created_by text not null,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint address_labels_pkey PRIMARY KEY (address),
  constraint address_labels_label_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100)))
);

create table app.audit_log (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  actor text not null,
  action text not null,
  details jsonb not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table app.chain_state (
  singleton boolean not null default true,
  chain_name text not null,
  chain_id numeric(78,0) not null,
  genesis_hash bytea not null,
  start_height bigint not null,
  chain_epoch bigint not null default 0,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint chain_state_pkey PRIMARY KEY (singleton),
  constraint chain_state_singleton_check CHECK (singleton)
);

create table app.contract_code (
  code_hash bytea not null,
  code_text text not null,
  constraint contract_code_pkey PRIMARY KEY (code_hash)
);

create table app.contract_code_hashes (
  address bytea not null,
  status text not null,
  asked_at_height bigint not null,
  block_hash bytea not null,
  code_hash bytea,
  code_bytes integer,
  constraint contract_code_hashes_pkey PRIMARY KEY (address),
  constraint contract_code_hashes_check2 CHECK (((status = 'answered'::text) = (code_hash IS NOT NULL))),
  constraint contract_code_hashes_check3 CHECK (((code_hash IS NULL) = (code_bytes IS NULL))),
  constraint contract_code_hashes_code_hash_fkey FOREIGN KEY (code_hash) REFERENCES app.contract_code(code_hash),
  constraint contract_code_hashes_status_check CHECK ((status = ANY (ARRAY['answered'::text, 'empty'::text, 'failed'::text])))
);

create table app.coverage (
  worker_type text not null,
  heights int8multirange not null default '{}'::int8multirange,
  skipped int8multirange not null default '{}'::int8multirange,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint coverage_pkey PRIMARY KEY (worker_type),
  constraint coverage_check CHECK (isempty((heights * skipped)))
);

create table app.indexing_errors (
  worker_name text not null,
  block_height bigint not null,
  transaction_id bytea,
  error_hash bytea not null,
  error_message text not null,
  severity text not null,
  resolved boolean not null default false,
  seen bigint not null default 1,
  raw_data bytea,
  raw_ref text,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint indexing_errors_key UNIQUE NULLS NOT DISTINCT (worker_name, block_height, transaction_id, error_hash),
  constraint indexing_errors_raw_data_check CHECK ((octet_length(raw_data) <= 4096)),
  constraint indexing_errors_severity_check CHECK ((severity = ANY (ARRAY['WARN'::text, 'FATAL'::text])))
);

create table app.job_queue (
  id bigint not null generated always as identity,
  queue text not null,
  subject text not null,
  due_at timestamp with time zone default now(),
  attempts integer not null default 0,
  epoch uuid,
  holder text,
  expires_at timestamp with time zone,
  constraint job_queue_pkey PRIMARY KEY (id),
  constraint job_queue_check CHECK (((epoch IS NULL) = (holder IS NULL))),
  constraint job_queue_check1 CHECK (((epoch IS NULL) = (expires_at IS NULL))),
  constraint job_queue_queue_subject_key UNIQUE (queue, subject)
);

create table app.outbox (
  sequence bigint not null,
  id uuid not null,
  kind text not null,
  epoch bigint not null,
  payload jsonb not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint outbox_pkey PRIMARY KEY (sequence),
  constraint outbox_id_key UNIQUE (id),
  constraint outbox_kind_check CHECK ((kind = ANY (ARRAY['rollback'::text, 'block'::text, 'watermark'::text, 'status'::text])))
);

create table app.outbox_state (
  singleton boolean not null default true,
  last_sequence bigint not null,
  pruned_sequence bigint not null,
  chain_epoch bigint,
  block_height bigint,
  watermark text,
  status text,
  constraint outbox_state_pkey PRIMARY KEY (singleton),
  constraint outbox_state_singleton_check CHECK (singleton)
);

create table app.queued_heights (
  queue text not null,
  worker_type text not null,
  heights int8multirange not null default '{}'::int8multirange,
  constraint queued_heights_pkey PRIMARY KEY (queue)
);

create table app.rollbacks (
  id uuid not null,
  epoch bigint not null,
  removed int8range not null,
  ancestor_hash bytea,
  reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint rollbacks_pkey PRIMARY KEY (id)
);

create table app.search_terms (
  address bytea not null,
  field text not null,
  word smallint not null,
  term text not null,
  constraint search_terms_pkey PRIMARY KEY (address, field, word),
  constraint search_terms_field_check CHECK ((field = ANY (ARRAY['name'::text, 'symbol'::text, 'label'::text])))
);

create table app.token_metadata (
  contract_address bytea not null,
  status text not null,
  asked_at_height bigint not null,
  block_hash bytea not null,
  name_raw bytea,
  name text,
  symbol_raw bytea,
  symbol text,
  decimals_raw bytea,
  decimals smallint,
  truncated boolean not null default false,
  constraint token_metadata_pkey PRIMARY KEY (contract_address),
  constraint token_metadata_decimals_check CHECK (((decimals >= 0) AND (decimals <= 255))),
  constraint token_metadata_decimals_raw_check CHECK ((octet_length(decimals_raw) <= 65536)),
  constraint token_metadata_name_check CHECK ((char_length(name) <= 256)),
  constraint token_metadata_name_raw_check CHECK ((octet_length(name_raw) <= 65536)),
  constraint token_metadata_status_check CHECK ((status = ANY (ARRAY['answered'::text, 'silent'::text, 'failed'::text]))),
  constraint token_metadata_symbol_check CHECK ((char_length(symbol) <= 256)),
  constraint token_metadata_symbol_raw_check CHECK ((octet_length(symbol_raw) <= 65536))
);

create table app.worker_leases (
  id bigint not null generated always as identity,
  worker_type text not null,
  from_height bigint not null,
  to_height bigint not null,
  status text not null,
  attempt integer not null default 0,
  epoch uuid not null,
  leased_by text,
  backend_pid integer,
  backend_start timestamp with time zone,
  lease_ttl_ms integer not null,
  leased_at timestamp with time zone,
  lease_expires_at timestamp with time zone,
  next_attempt_at timestamp with time zone,
  last_error text,
  last_error_code text,
  last_error_at timestamp with time zone,
  completed_at timestamp with time zone,
  constraint worker_leases_pkey PRIMARY KEY (id),
  constraint worker_leases_check CHECK ((from_height < to_height)),
  constraint worker_leases_no_overlap EXCLUDE USING gist (worker_type WITH =, int8range(from_height, to_height) WITH &&) WHERE ((status <> 'COMPLETED'::text)),
  constraint worker_leases_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'COMPLETED'::text, 'FAILED'::text, 'DEAD'::text])))
);

create table app.worker_tables (
  table_name text not null,
  worker_name text not null,
  kind text not null,
  constraint worker_tables_pkey PRIMARY KEY (table_name),
  constraint worker_tables_kind_check CHECK ((kind = ANY (ARRAY['events'::text, 'state'::text, 'observations'::text]))),
  constraint worker_tables_worker_name_fkey FOREIGN KEY (worker_name) REFERENCES app.workers(name) ON DELETE CASCADE
);

create table app.workers (
  name text not null,
  version integer not null,
  hash text not null,
  definition jsonb not null,
  dependencies text[] not null,
  tables text[] not null,
  paused boolean not null default false,
  paused_reason text,
  concurrency integer,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint workers_pkey PRIMARY KEY (name),
  constraint workers_concurrency_check CHECK ((concurrency > 0))
);

CREATE INDEX contract_code_hashes_asked ON app.contract_code_hashes USING btree (asked_at_height) WHERE (asked_at_height IS NOT NULL);

CREATE INDEX contract_code_hashes_code_hash ON app.contract_code_hashes USING btree (code_hash) WHERE (code_hash IS NOT NULL);

CREATE INDEX indexing_errors_height ON app.indexing_errors USING btree (block_height);

CREATE INDEX indexing_errors_open ON app.indexing_errors USING btree (worker_name, block_height) WHERE (NOT resolved);

CREATE INDEX indexing_errors_triage ON app.indexing_errors USING btree (resolved, worker_name, created_at DESC);

CREATE INDEX job_queue_claimable ON app.job_queue USING btree (queue, COALESCE(expires_at, due_at));

CREATE INDEX job_queue_held ON app.job_queue USING btree (queue) WHERE (epoch IS NOT NULL);

CREATE INDEX search_terms_labels_whole ON app.search_terms USING btree (term) WHERE ((word = 0) AND (field = 'label'::text));

CREATE INDEX search_terms_labels_words ON app.search_terms USING btree (term) WHERE ((word > 0) AND (field = 'label'::text));

CREATE INDEX search_terms_trigrams ON app.search_terms USING gin (term gin_trgm_ops) WHERE (word = 0);

CREATE INDEX search_terms_whole ON app.search_terms USING btree (term) WHERE (word = 0);

CREATE INDEX search_terms_words ON app.search_terms USING btree (term) WHERE (word > 0);

CREATE INDEX token_metadata_asked ON app.token_metadata USING btree (asked_at_height) WHERE (asked_at_height IS NOT NULL);

CREATE INDEX worker_leases_finished ON app.worker_leases USING btree (completed_at) WHERE (status = 'COMPLETED'::text);

CREATE INDEX worker_leases_unfinished ON app.worker_leases USING btree (worker_type, from_height) WHERE (status <> 'COMPLETED'::text);

create view app.indexing_checkpoints as select
  worker_name text,
  last_height bigint,
  updated_at timestamp with time zone;

create function app.end_backend(pid integer) returns boolean language plpgsql volatile as $$
begin
  return pg_terminate_backend(pid);
exception when insufficient_privilege then
  return null;
end $$;

create function app.follow_address_labels() returns trigger language plpgsql volatile as $$
begin
  if tg_op <> 'INSERT' then
    delete from app.search_terms where address = old.address and field = 'label';
  end if;
  if tg_op <> 'DELETE' then
    insert into app.search_terms (address, field, word, term)
    select new.address, 'label', terms.word, terms.term from app.search_terms_of(new.label) as terms;
  end if;
  return null;
end $$;

create function app.follow_token_metadata() returns trigger language plpgsql volatile as $$
begin
  if tg_op <> 'INSERT' then
    delete from app.search_terms where address = old.contract_address and field in ('name', 'symbol');
  end if;
  if tg_op <> 'DELETE' then
    insert into app.search_terms (address, field, word, term)
    select new.contract_address, field, terms.word, terms.term
    from (values ('name', new.name), ('symbol', new.symbol)) as shown (field, text), app.search_terms_of(shown.text) as terms;
  end if;
  return null;
end $$;

create function app.number_outbox_entry() returns trigger language plpgsql volatile as $$
begin
  -- An entry that is there already takes no number: it would leave a gap.
  if exists (select from app.outbox where id = new.id) then
    return null;
  end if;
  update app.outbox_state set last_sequence = last_sequence + 1 returning last_sequence into strict new.sequence;
  return new;
end $$;

create function app.search_terms_of(shown text) returns TABLE(word smallint, term text) language sql stable as $$
  with whole as (select app.search_text(shown) as text)
  select 0::int2, text from whole where text <> ''
  union all
  (select (row_number() over (order by at))::int2, left(substr(text, at), 64)
   from whole, generate_series(2, length(text)) as at
   where substr(text, at - 1, 1) !~ '[[:alnum:]]' and substr(text, at, 1) ~ '[[:alnum:]]'
   order by at limit 8)
$$;

create function app.search_text(shown text) returns text language sql stable as $$
  select left(lower(case when getdatabaseencoding() = 'UTF8' then normalize(shown, nfkc) else shown end), 256)
$$;

CREATE TRIGGER follow_address_labels AFTER INSERT OR DELETE OR UPDATE ON app.address_labels FOR EACH ROW EXECUTE FUNCTION app.follow_address_labels();

CREATE TRIGGER number_outbox_entry BEFORE INSERT ON app.outbox FOR EACH ROW EXECUTE FUNCTION app.number_outbox_entry();

CREATE TRIGGER follow_token_metadata AFTER INSERT OR DELETE OR UPDATE ON app.token_metadata FOR EACH ROW EXECUTE FUNCTION app.follow_token_metadata();

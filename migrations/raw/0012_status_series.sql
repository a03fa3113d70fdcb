-- Why: how far each worker was over the last month, so that operators see a history after a restart. Bounded: fine for a day,
-- coarse for a month.

create table raw.status_series (
  interval_seconds int4 not null,
  -- The start of the interval; its first sample is kept.
  at timestamptz not null,
  head_height int8,
  -- By worker: {"watermark", "covered", "lag"}.
  workers jsonb not null,
  primary key (interval_seconds, at)
);

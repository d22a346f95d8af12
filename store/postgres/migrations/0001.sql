-- The first schema. Names sort by bytes, as in the embedded engine. A time is a timestamptz; NULL
-- is the zero time of the program, "never". Columns of type json are only read whole; jsonb would
-- refuse some of the texts that the program stores.

create table account (
  id      text collate "C" primary key,
  email   text collate "C" not null unique,
  plan    text not null,
  created timestamptz
);

create table password (
  account text collate "C" primary key references account on delete cascade,
  kept    text not null
);

create table identity (
  issuer  text collate "C",
  subject text collate "C",
  account text collate "C" not null references account on delete cascade,
  primary key (issuer, subject),
  unique (account, issuer)
);

create table api_key (
  id           text collate "C" primary key,
  hash         bytea not null unique check (octet_length(hash) = 32),
  account      text collate "C" not null references account on delete cascade,
  name         text not null,
  scopes       text[] not null,
  created      timestamptz,
  expires      timestamptz,
  revoked      timestamptz,
  replaces     text collate "C" not null,
  last_used    timestamptz,
  last_address text not null
) with (fillfactor = 90);
create index on api_key (account, created nulls first, id);
create index on api_key (least(expires, revoked));

-- Units exceed bigint: limits may be as high as 2^64 - 1.
create table quota_month (
  account  text collate "C" references account on delete cascade,
  month    int,
  reserved numeric(20) not null check (reserved between 0 and 18446744073709551615),
  primary key (account, month)
) with (fillfactor = 50);
create index on quota_month (month);

create table use_day (
  account text collate "C" references account on delete cascade,
  day     bigint,
  surface text collate "C",
  served  bigint not null,
  refused bigint not null,
  primary key (account, day, surface)
) with (fillfactor = 70);
create index on use_day (day);

create table session (
  hash    bytea primary key check (octet_length(hash) = 32),
  account text collate "C" not null references account on delete cascade,
  created timestamptz,
  expires timestamptz,
  agent   text not null,
  seen    bigint not null
);
create index on session (account);
create index on session (expires);

create table ticket (
  hash    bytea primary key check (octet_length(hash) = 32),
  kind    text not null,
  data    bytea,
  expires timestamptz
);
create index on ticket (expires);

create table client (
  id      text collate "C" primary key,
  body    json not null,
  created timestamptz,
  expires timestamptz
);
create index on client (expires, id);

create table code (
  hash      bytea primary key check (octet_length(hash) = 32),
  grant_id  text collate "C" not null unique,
  account   text collate "C" not null references account on delete cascade,
  body      json not null,
  challenge text not null,
  expires   timestamptz,
  redeemed  bool not null default false
);
create index on code (account);
create index on code (expires);

create table oauth_grant (
  id      text collate "C" primary key,
  account text collate "C" not null references account on delete cascade,
  client  text collate "C" not null,
  body    json not null,
  token   bytea not null check (octet_length(token) = 32),
  created timestamptz,
  used    timestamptz,
  expires timestamptz
) with (fillfactor = 80);
create index on oauth_grant (account);
create index on oauth_grant (expires);

-- Refresh tokens that were replaced; seq is their order.
create table replaced_token (
  grant_id text collate "C" references oauth_grant on delete cascade,
  seq      bigint generated always as identity,
  hash     bytea not null check (octet_length(hash) = 32),
  at       timestamptz,
  sealed   bytea not null,
  primary key (grant_id, seq)
);

create table incident (
  id     text collate "C" primary key,
  body   json not null,
  starts timestamptz,
  ends   timestamptz
);
create index on incident (starts);

create table fact (
  name  text collate "C" primary key,
  value bytea not null
);

create table component_day (
  component text collate "C",
  day       bigint,
  ok        int not null,
  degraded  int not null,
  down      int not null,
  last      int not null,
  primary key (component, day)
);

-- Rows to lock or to write, by those who need no other.
create table guard (
  name text collate "C" primary key,
  at   timestamptz
);
insert into guard (name) values ('clients'), ('ready');

-- Changes that invalidate caches, for the other instances.
create table change_log (
  seq      bigint generated always as identity primary key,
  key      text collate "C" not null default '',
  account  text collate "C" not null default '',
  grant_id text collate "C" not null default '',
  fact     text collate "C" not null default '',
  at       timestamptz not null default clock_timestamp()
);
create index on change_log (at);

create table instance (
  id      text collate "C" primary key,
  slot    int not null unique check (slot between 1 and 64),
  name    text not null,
  version text not null,
  started timestamptz,
  seen    timestamptz not null,
  left_at timestamptz
);

create table job (
  name  text collate "C" primary key,
  owner text collate "C" not null,
  until timestamptz not null
);

-- Shares of rate limits, in arrays by slot.
create table rate_share (
  subject bytea primary key check (octet_length(subject) = 32),
  held    int[] not null default array_fill(0, array[64]),
  until   timestamptz[] not null default array_fill('-infinity'::timestamptz, array[64])
) with (fillfactor = 50);

-- next_due is the first time at which a delivery is due, NULL if none is and -infinity if its time
-- is zero. body does not have what the columns have.
create table endpoint (
  id          text collate "C" primary key,
  account     text collate "C" not null references account on delete cascade,
  body        json not null,
  kinds       text[] collate "C" not null,
  state       text not null,
  pause_until timestamptz,
  pending     int not null default 0 check (pending >= 0),
  version     bigint not null,
  created     timestamptz,
  next_due    timestamptz,
  owner       text collate "C",
  owned_until timestamptz
) with (fillfactor = 60);
create index on endpoint (account, created nulls first, id);
create index on endpoint (next_due) where next_due is not null;

-- A row without account is for all of them; it waits for Spread while spreading is true, and the
-- endpoints up to spread_after have it.
create table event (
  id           text collate "C" primary key,
  type         text collate "C" not null,
  account      text collate "C" references account on delete cascade,
  endpoint     text collate "C" not null,
  body         bytea,
  created      timestamptz,
  expires      timestamptz,
  once         text collate "C" not null,
  once_until   timestamptz,
  spreading    bool not null,
  spread_after text collate "C" not null default ''
);
create index on event (account, id);
create index on event (expires);
create index on event (id) where spreading;

-- Names of events; until NULL they last for ever.
create table once (
  name  text collate "C" primary key,
  until timestamptz
);
create index on once (until);

create table delivery (
  endpoint text collate "C" references endpoint on delete cascade,
  event    text collate "C" references event on delete cascade,
  kind     text collate "C" not null,
  state    text not null,
  direct   bool not null,
  replay   bool not null default false,
  tries    int not null default 0,
  due      timestamptz,
  created  timestamptz,
  attempts json,
  primary key (endpoint, event)
) with (fillfactor = 70);
create index on delivery (event);
create index on delivery (endpoint, direct desc, due nulls first, event) where state = 'pending';

create table watch (
  id          text collate "C" primary key,
  account     text collate "C" not null references account on delete cascade,
  name        text not null,
  station     text collate "C" not null,
  request     bytea,
  standing    bytea,
  state       text not null,
  at          timestamptz,
  due         timestamptz,
  ends        timestamptz,
  created     timestamptz,
  evaluated   timestamptz,
  units       int not null,
  version     bigint not null,
  owner       text collate "C",
  owned_until timestamptz
);
create index on watch (account, created nulls first, id);
create index on watch (due nulls first) where state <> 'ended';
create index on watch (ends);

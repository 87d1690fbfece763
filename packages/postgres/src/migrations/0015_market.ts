import { statements } from "./statements.ts"

/*
 * The service's own market series. Points and events have a table for each kind, divided by time: a part is a month, or
 * a year, of UTC; writes make those that they need, and what is old is dropped by parts. Times are epoch ms.
 */

const points = (name: string, ...columns: ReadonlyArray<string>): string =>
  `create table market_${name} (
    time bigint not null,
    ${columns.map((column) => `${column} double precision`).join(", ")},
    series integer not null,
    source smallint not null,
    primary key (series, time)
  ) partition by range (time)`

// An event has a row for each of its subjects, and the first of them leads; `series` of one without any is the kind's
// own. Documents are JSON, which has a form for every text.
const events = (name: string, ...columns: ReadonlyArray<string>): ReadonlyArray<string> => [
  `create table market_${name} (
    time bigint not null,
    ${columns.map((column) => `${column} double precision`).join(", ")},
    series integer not null,
    source smallint not null,
    leads boolean not null,
    id text collate "C" not null,
    label text collate "C",
    document text,
    primary key (series, time, id)
  ) partition by range (time)`,
  `create index market_${name}_by_id on market_${name} (id)`,
  `create index market_${name}_by_time on market_${name} (time, id) where leads`
]

const bars = ["open", "high", "low", "close", "volume", "quote_volume"]

export default statements(
  // Who collects from a source, until when. Epochs begin with the clock, so that a database that was put back gives out
  // none a second time.
  `create table market_leases (
    source text collate "C" primary key,
    holder text not null,
    epoch bigint not null,
    until bigint not null
  ) with (fillfactor = 50)`,
  `create table market_sources (
    id smallint generated always as identity primary key,
    name text collate "C" not null unique
  )`,
  // What is kept of a subject beside its rows: where recording began, how far nothing is awaited, and the ends of the
  // intervals that are covered, and lost, from and to in turn. A series of the subject '' is the kind's own, whose lock
  // those take one after the other who write events or documents of it. Nothing that changes is indexed.
  `create table market_series (
    id integer generated always as identity primary key,
    kind text collate "C" not null,
    subject text collate "C" not null,
    first_at bigint,
    since bigint,
    mark bigint not null default 0,
    covered bigint[] not null default '{}',
    lost bigint[] not null default '{}',
    sources smallint[] not null default '{}',
    revision uuid not null default gen_random_uuid(),
    unique (kind, subject)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`,
  `create table market_documents (
    kind text collate "C" not null,
    key text collate "C" not null,
    time bigint not null,
    source smallint not null,
    document text not null,
    primary key (kind, key)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
  points("candles", ...bars, "taker_buy_volume"),
  points("prices", "price"),
  points(
    "perpetuals",
    "funding_rate",
    "funding_interval_hours",
    "open_interest",
    "open_interest_usd",
    "long_short_ratio",
    "mark_price",
    "index_price"
  ),
  points("funding_prints", "funding_rate", "interval_hours"),
  points("taker_flow", "buy_usd", "sell_usd"),
  points("krw_markets", "krw_price", "usdt_price", "change24h_pct", "volume24h_krw"),
  points("fx_rates", "rate"),
  points("implied_volatilities", "iv_pct"),
  points("market_caps", "market_cap_usd", "circulating_supply", "volume24h_usd"),
  points("dex_activity", "buy_usd", "sell_usd", "trades"),
  points("equity_days", ...bars, "previous_close", "closed_at"),
  points("equity_candles", ...bars),
  points("equity_prices", "price", "volume", "turnover"),
  points("moods", "value"),
  ...events("liquidations", "price", "size_usd"),
  ...events("posts", "sentiment"),
  ...events("articles", "sentiment")
)

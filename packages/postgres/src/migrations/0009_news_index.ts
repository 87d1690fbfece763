import { statements } from "./statements.ts"

/**
 * Articles to be found by their vectors and by their words, by the model of the vectors, and the days of the feed that
 * were read. Vectors are whole numbers, which `real` holds exactly, in a table of their own, in rows of a kilobyte or
 * several that are read as they stand: pgvector, where it is there, reads them too. Times are epoch ms.
 */
export default statements(
  `create table news_days (
    model text collate "C" not null,
    day bigint not null,
    read_at bigint not null,
    as_of bigint not null,
    sources text[] not null,
    primary key (model, day)
  )`,
  `create table news_articles (
    model text collate "C" not null,
    id text collate "C" not null,
    day bigint not null,
    time bigint not null,
    digest text not null,
    source text not null,
    url text not null,
    title text not null,
    body text not null,
    coins text[] not null,
    terms integer[] not null,
    primary key (model, id)
  )`,
  "create index news_articles_by_day on news_articles (model, day)",
  "create index news_articles_by_time on news_articles (model, time)",
  "create index news_articles_by_term on news_articles using gin (terms)",
  `create table news_vectors (
    model text collate "C" not null,
    id text collate "C" not null,
    time bigint not null,
    coins text[] not null,
    numbers real[] not null,
    primary key (model, id),
    foreign key (model, id) references news_articles (model, id) on delete cascade
  ) with (toast_tuple_target = 8160)`,
  "create index news_vectors_by_time on news_vectors (model, time, id)"
)

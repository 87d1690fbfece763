import { statements } from "./statements.ts"

/**
 * Vectors also as bytes, 16 bits a number, the low byte first: to send an array costs the database as much for each
 * number as to compare it costs a process. What was kept is read from the feed again.
 */
export default statements(
  "truncate news_days, news_articles, news_vectors",
  "alter table news_vectors add column packed bytea not null"
)

import { dayMs, type Gap, hourMs, NewsFeed, OnchainFlows, OrderBooks, SocialFeed, valueOf } from "@tapeline/core/market"
import { eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { aboutCoin, aboutSymbol, articleForm, orderBookDocument, postForm } from "../../src/stored/documents.ts"
import { coveringOf, endOf, fineMs, isIn, onGrid, sourceName, standing, type Writing } from "./collecting.ts"

/** Writes a coin's current order book. */
const writeBook = Effect.fnUntraced(function*({ fence, store }: Writing, key: string) {
  const { time, ...book } = yield* valueOf((yield* OrderBooks).orderBook(key))
  const row = orderBookDocument.rowOf({ key, time, source: sourceName }, book)
  yield* store.writeDocuments({ kind: orderBookDocument.kind, fence, documents: [row] })
}, Effect.orDie)

/** Writes a coin's on-chain trades of an interval. */
const writeDex = Effect.fnUntraced(
  function*({ fence, store }: Writing, coin: string, interval: Gap, lost: ReadonlyArray<Gap>) {
    const query = { coin, stepMs: fineMs, ...interval }
    const { points } = yield* valueOf((yield* OnchainFlows).dexActivity(query))
    const holes = onGrid(lost, fineMs)
    const rows = points.filter(({ time }) => !isIn(holes, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coveringOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.dexActivity, fence, series })
  },
  Effect.orDie
)

/** Writes the posts about a coin of an interval, except for the lost intervals. */
export const writePosts = Effect.fnUntraced(
  function*({ collection, fence, store }: Writing, coin: string, interval: Gap, lost: ReadonlyArray<Gap>) {
    const posts = yield* valueOf((yield* SocialFeed).posts({ coin, limit: 100_000, ...interval }))
    const events = posts.filter(({ time }) => !isIn(lost, time)).map((post) => {
      const { account: { handle, ...account }, id, sentiment, time, ...rest } = post
      const document = postForm.write({ account, ...rest })
      const subjects = post.coins.filter((one) => collection.coins.includes(one))
      return { id, time, subjects, source: sourceName, label: handle, document, sentiment }
    })
    const covering = [{ subject: coin, ...coveringOf(interval, lost) }]
    yield* store.writeEvents({ kind: eventsKinds.posts, fence, events, covering })
  },
  Effect.orDie
)

/** Writes the articles of an interval. */
const writeNews = Effect.fnUntraced(function*({ fence, store }: Writing, interval: Gap) {
  const articles = yield* valueOf((yield* NewsFeed).articles({ limit: 100_000, ...interval }))
  const events = articles.map(({ id, sentiment, source: label, time, ...rest }) => ({
    id,
    time,
    subjects: [...rest.coins.map(aboutCoin), ...rest.symbols.map(aboutSymbol)],
    source: sourceName,
    label,
    document: articleForm.write(rest),
    sentiment
  }))
  yield* store.writeEvents({ kind: eventsKinds.articles, fence, events })
}, Effect.orDie)

/** Writes the data of coins other than prices: order books, on-chain trades, posts and articles. */
export const writeFeeds = Effect.fnUntraced(function*(writing: Writing) {
  const { collection } = writing
  const { coins, delisted, lost, now } = collection
  const day = Math.floor(now / dayMs) * dayMs
  for (const coin of coins) {
    const to = Math.floor(endOf(collection, coin) / fineMs) * fineMs
    const from = Math.min(day - 3 * dayMs, to - dayMs)
    if (delisted[coin] === undefined) yield* standing(now, writeBook(writing, coin))
    yield* writeDex(writing, coin, { from, to }, lost)
    yield* writePosts(writing, coin, { from: from - 12 * hourMs, to }, lost)
  }
  yield* writeNews(writing, { from: now - 31 * dayMs, to: now })
})

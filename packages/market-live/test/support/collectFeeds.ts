import { runAsOf } from "@tapeline/core"
import {
  dayMs,
  type Gap,
  hourMs,
  NewsFeed,
  OnchainFlows,
  OrderBooks,
  readValue,
  SocialFeed
} from "@tapeline/core/market"
import { eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { articleCodec, coinSubject, orderBookDocument, postCodec, stockSubject } from "../../src/stored/documents.ts"
import {
  alignToGrid,
  coverageOf,
  endOfSeries,
  fiveMinutesMs,
  isInGaps,
  sourceName,
  type WriteContext
} from "./collecting.ts"

const writeOrderBook = Effect.fnUntraced(function*({ fence, store }: WriteContext, key: string) {
  const { time, ...book } = yield* readValue((yield* OrderBooks).orderBook(key))
  const row = orderBookDocument.encodeRow({ key, time, source: sourceName }, book)
  yield* store.writeDocuments({ kind: orderBookDocument.kind, fence, documents: [row] })
}, Effect.orDie)

const writeDexTrades = Effect.fnUntraced(
  function*({ fence, store }: WriteContext, coin: string, interval: Gap, lost: ReadonlyArray<Gap>) {
    const query = { coin, stepMs: fiveMinutesMs, ...interval }
    const { points } = yield* readValue((yield* OnchainFlows).dexActivity(query))
    const holes = alignToGrid(lost, fiveMinutesMs)
    const rows = points.filter(({ time }) => !isInGaps(holes, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coverageOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.dexActivity, fence, series })
  },
  Effect.orDie
)

export const writePosts = Effect.fnUntraced(
  function*({ collection, fence, store }: WriteContext, coin: string, interval: Gap, lost: ReadonlyArray<Gap>) {
    const posts = yield* readValue((yield* SocialFeed).posts({ coin, limit: 100_000, ...interval }))
    const events = posts.filter(({ time }) => !isInGaps(lost, time)).map((post) => {
      const { account: { handle, ...account }, id, sentiment, time, ...rest } = post
      const document = postCodec.write({ account, ...rest })
      const subjects = post.coins.filter((one) => collection.coins.includes(one))
      return { id, time, subjects, source: sourceName, label: handle, document, sentiment }
    })
    const covering = [{ subject: coin, ...coverageOf(interval, lost) }]
    yield* store.writeEvents({ kind: eventsKinds.posts, fence, events, covering })
  },
  Effect.orDie
)

const writeNews = Effect.fnUntraced(function*({ fence, store }: WriteContext, interval: Gap) {
  const articles = yield* readValue((yield* NewsFeed).articles({ limit: 100_000, ...interval }))
  const events = articles.map(({ id, sentiment, source: label, time, ...rest }) => ({
    id,
    time,
    subjects: [...rest.coins.map(coinSubject), ...rest.symbols.map(stockSubject)],
    source: sourceName,
    label,
    document: articleCodec.write(rest),
    sentiment
  }))
  yield* store.writeEvents({ kind: eventsKinds.articles, fence, events })
}, Effect.orDie)

export const writeFeeds = Effect.fnUntraced(function*(writing: WriteContext) {
  const { collection } = writing
  const { coins, delisted, lost, now } = collection
  const day = Math.floor(now / dayMs) * dayMs
  for (const coin of coins) {
    const to = Math.floor(endOfSeries(collection, coin) / fiveMinutesMs) * fiveMinutesMs
    const from = Math.min(day - 3 * dayMs, to - dayMs)
    if (delisted[coin] === undefined) yield* runAsOf(writeOrderBook(writing, coin), now)
    yield* writeDexTrades(writing, coin, { from, to }, lost)
    yield* writePosts(writing, coin, { from: from - 12 * hourMs, to }, lost)
  }
  yield* writeNews(writing, { from: now - 31 * dayMs, to: now })
})

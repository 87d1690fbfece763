import { assert, it, layer as withLayer } from "@effect/vitest"
import { runAsOf } from "@tapeline/core"
import { getTone } from "@tapeline/core/analysis"
import { dayMs, hourMs, minuteMs, readValue, SocialFeed, type SocialPost } from "@tapeline/core/market"
import { eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { getAuthenticity, getSocialHistory, getSocialMomentum, getTrending } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { socialFeedContract } from "@tapeline/testing/contracts/socialFeed"
import { waive } from "@tapeline/testing/contracts/waiver"
import { callHandler } from "@tapeline/testing/toolCalls"
import { didOf, type FakeServer, makeFakeServer, makeJetstream, recordKeyOf } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { blueskyCollector, layerCollectors, MarketHealth, SourceHealth, storedSocialFeed } from "../../src/index.ts"
import { makeCoinFinder } from "../../src/mentions/coinFinder.ts"
import { writeListed } from "../support/listing.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T15:48:22.517Z")
const hour = Math.floor(now / hourMs) * hourMs
const ports = sharedPorts
const market = Layer.succeedContext(ports)
const sim = Context.get(ports, SocialFeed)
const coins = ["BTC", "XRP", "SOL"]
const kind = eventsKinds.posts

/**
 * An interval in which no process received posts. After the interval, the server can no longer replay the missed posts.
 */
const outage = { from: hour - 5 * hourMs, to: hour - 3 * hourMs }
const since = hour - 14 * hourMs

const at = (server: FakeServer) => ({ baseUrl: server.url.replace("http", "ws"), coins })

const until = Effect.fnUntraced(function*<E>(description: string, condition: Effect.Effect<boolean, E>) {
  for (let turn = 0; turn < 20_000; turn++) {
    if (yield* condition) return
    yield* Effect.promise(() => setImmediate())
    if (turn % 5 === 4) yield* TestClock.adjust(250)
  }
  return yield* Effect.die(new Error(`${description}: the condition never became true`))
})

const collecting = (store: MarketStore["Service"], server: FakeServer) =>
  Layer.build(
    Layer.unwrap(Effect.map(SourceHealth, (health) => layerCollectors([blueskyCollector(at(server), health)]))).pipe(
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer),
      Layer.provide(Layer.succeed(MarketStore, store))
    )
  )

const recordedUntil = (store: MarketStore["Service"]) =>
  Effect.map(
    store.records({ kind, subjects: coins }),
    (all) => coins.map((coin) => all.get(coin)?.contiguousUntil ?? 0)
  )

/** Collects over one connection until all posts up to the given time are stored. */
const collectAt = (store: MarketStore["Service"], time: number, server: FakeServer) =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(time)
    yield* collecting(store, server)
    yield* until(
      "all posts are recorded",
      Effect.map(recordedUntil(store), (marks) => marks.every((mark) => mark >= time - 10_000))
    )
  }))

/**
 * Records that an earlier process received all posts until `from`, so that the next process requests the later posts.
 */
const recordEarlierListener = Effect.fnUntraced(function*(store: MarketStore["Service"], from: number) {
  const leadership = yield* store.acquireLeadership({ source: "bluesky", holder: "before", ttlMs: hourMs })
  if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
  const covering = coins.map((subject) => ({ subject, covers: [{ from: from - 1, to: from }] }))
  yield* store.writeEvents({ kind, fence: leadership.fence, events: [], covering })
  yield* store.resignLeadership(leadership.fence)
})

const load = Effect.scoped(Effect.gen(function*() {
  const store = Context.get(yield* Layer.build(MemoryMarketStore), MarketStore)
  yield* Effect.provide(runAsOf(writeListed(store, now), now), market)
  yield* recordEarlierListener(store, since)
  const social = { social: sim, coins }
  const first = yield* makeFakeServer(() => Effect.succeed(null), makeJetstream(social))
  yield* collectAt(store, outage.from - minuteMs, first)
  const secondEnd = now - minuteMs
  const forgetfulStream = makeJetstream({ ...social, lookbackMs: secondEnd - outage.to })
  const second = yield* makeFakeServer(() => Effect.succeed(null), forgetfulStream)
  yield* collectAt(store, secondEnd, second)
  // Each connection requests the posts after the recorded posts.
  const [one, two] = [first, second].map(({ requests: [request] }) => Number(request!.query.get("cursor")) / 1_000)
  assert.strictEqual(one, since - 5_000)
  assert.isTrue(outage.from - 2 * minuteMs < two! && two! < outage.from)
  return store
})).pipe(Effect.provide(TestClock.layer()))

const store = Layer.effect(MarketStore, Effect.runSync(Effect.cached(Effect.orDie(load))))
const layerStoredPosts = Layer.provideMerge(storedSocialFeed, store)

socialFeedContract("posts collected from Bluesky", layerStoredPosts, {
  now,
  coin: "XRP",
  outage,
  backfill: waive("no backfill exists beyond the server's replay")
})

withLayer(layerStoredPosts, { timeout: 60_000 })("collected posts", (it) => {
  it.effect("equal the published posts that name a coin, except for fields that the stream lacks", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const feed = yield* SocialFeed
      const findCoins = makeCoinFinder(coins)
      for (const coin of coins) {
        for (
          const interval of [{ from: since, to: outage.from - 2 * minuteMs }, {
            from: outage.to + minuteMs,
            to: now - 2 * minuteMs
          }]
        ) {
          const posts = yield* readValue(feed.posts({ coin, limit: 100_000, ...interval }))
          const all = yield* readValue(sim.posts({ coin, limit: 100_000, ...interval }))
          const expected = all.filter(({ text }) => findCoins(text).includes(coin)).map((post: SocialPost) => ({
            id: `at://${didOf(post.account.handle)}/app.bsky.feed.post/${recordKeyOf(post.id)}`,
            time: post.time,
            platform: "bluesky",
            account: {
              handle: didOf(post.account.handle),
              createdAt: null,
              followers: null,
              following: null,
              postCount: null
            },
            coins: findCoins(post.text),
            text: post.text,
            language: post.language,
            likes: null,
            reposts: null,
            sentiment: getTone(post.text)
          }))
          const ofOthers = posts.filter(({ id }) => !expected.some((one) => one.id === id))
          // Posts about other coins may also name the tested coin.
          assert.isTrue(ofOthers.every((post) => post.coins.includes(coin)))
          const coinPosts = posts.filter((post) => !ofOthers.includes(post))
          assert.isAbove(coinPosts.length, 20)
          assert.sameDeepMembers([...coinPosts], expected)
        }
      }
    }))
})

withLayer(
  toolsOf([getSocialHistory, getSocialMomentum, getTrending, getAuthenticity]).pipe(
    Layer.provideMerge(Layer.merge(market, layerStoredPosts))
  ),
  { timeout: 60_000 }
)("social tools over collected posts", (it) => {
  it.effect("report activity, sentiment and gaps, and no account quality", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const history = yield* callHandler(getSocialHistory, { coin: "BTC", hours: 12 })
      assert.isAbove(history.points.length, 6)
      assert.isAbove(history.gaps.length, 0)
      assert.isTrue(history.points.some(({ sentiment }) => sentiment !== null))
      const momentum = yield* callHandler(getSocialMomentum, { coin: "BTC" })
      assert.isAbove(momentum.mentions_24h, 0)
      assert.isNull(momentum.acceleration)
      const { coins: trending } = yield* callHandler(getTrending, { top: 5 })
      assert.sameMembers(trending.map(({ coin }) => coin), coins)
      const authentic = yield* callHandler(getAuthenticity, { coin: "BTC" })
      assert.isAbove(authentic.n, 50)
      assert.isNull(authentic.account_quality)
    }))
})

it.effect("reports the same fault for the socket and the collector while the stream is blocked", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const server = yield* makeFakeServer(() => Effect.succeed(null), () => () => Effect.never)
    server.fail({ _tag: "answer", status: 451, body: "not here" })
    const { report } = Context.get(yield* collecting(yield* MarketStore, server), MarketHealth)
    yield* until("the block is reported", Effect.map(report, ({ sources }) => sources[0]?.state === "blocked"))
    const { collectorsBySource: [collector], sources: [socket] } = yield* report
    assert.deepStrictEqual([socket!.source, collector!.collectors[0]!.name], ["bluesky/posts", "posts"])
    assert.deepStrictEqual(collector!.collectors[0]!.lastFault, socket!.lastFault)
    assert.strictEqual(socket!.lastFault?.failure, "blocked")
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

it.effect("deletes posts that their author deletes or edits, and all posts of a deleted account", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const server = yield* makeFakeServer(() => Effect.succeed(null), () => () => Effect.never)
    const context = yield* collecting(store, server)
    const health = Context.get(context, MarketHealth)
    const wire = yield* server.waitForSocket
    let seconds = 0
    const sendCommit = (handle: string, part: object) =>
      wire.send(JSON.stringify({
        did: didOf(handle),
        time_us: (now + seconds * 1_000) * 1_000,
        ...("account" in part ? { kind: "account", ...part } : {
          kind: "commit",
          commit: { rev: "1", operation: "create", collection: "app.bsky.feed.post", ...part }
        })
      }))
    const post = (handle: string, rkey: string) =>
      sendCommit(handle, { rkey, record: { $type: "app.bsky.feed.post", text: "bitcoin", langs: ["en"] } })
    const texts = Effect.map(
      store.events({ kind, subject: "BTC", from: 0, to: 4e12, limit: 100 }),
      ({ events }) => events.map(({ id }) => id.slice(-1)).sort((a, b) => a < b ? -1 : 1).join("")
    )
    const untilStored = Effect.fnUntraced(function*(expected: string) {
      seconds += 2
      yield* until(
        `${expected} is there`,
        Effect.gen(function*() {
          sendCommit("other", { operation: "delete", rkey: "x" })
          const marks = yield* recordedUntil(store)
          return (yield* texts) === expected && marks.every((mark) => mark >= now + seconds * 1_000)
        })
      )
    })
    post("ann", "1")
    post("ann", "2")
    post("bob", "3")
    yield* untilStored("123")
    const [before] = (yield* store.records({ kind, subjects: ["BTC"] })).values()
    sendCommit("ann", { operation: "delete", rkey: "1" })
    yield* untilStored("23")
    const [after] = (yield* store.records({ kind, subjects: ["BTC"] })).values()
    assert.notStrictEqual(after!.revision, before!.revision)
    sendCommit("ann", { account: { active: false, status: "deleted", did: didOf("ann"), seq: 1, time: "" } })
    yield* untilStored("3")
    sendCommit("bob", { operation: "update", rkey: "3", record: { text: "good morning" } })
    yield* untilStored("")
    const { collectorsBySource: [one] } = yield* health.report
    assert.deepInclude(one, { source: "bluesky", lead: "leads" })
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

it.effect("marks posts beyond the server's replay as lost, and time before the first start as missing", () =>
  Effect.gen(function*() {
    const store = yield* MarketStore
    const social = { social: sim, coins, lookbackMs: hourMs }
    yield* recordEarlierListener(store, now - 2 * dayMs)
    const server = yield* makeFakeServer(() => Effect.succeed(null), makeJetstream(social))
    yield* collectAt(store, now, server)
    const gaps = yield* store.gaps({ kind, subjects: coins, from: now - 3 * dayMs, to: now - minuteMs })
    for (const { lost, missing } of gaps.values()) {
      assert.deepStrictEqual(missing, [{ from: now - 3 * dayMs, to: now - 2 * dayMs - 1 }])
      assert.lengthOf(lost, 1)
      assert.strictEqual(lost[0]!.from, now - 2 * dayMs)
      assert.closeTo(lost[0]!.to, now - hourMs, 10_000)
    }
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

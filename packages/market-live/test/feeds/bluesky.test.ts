import { assert, describe, it } from "@effect/vitest"
import { getTone } from "@tapeline/core/analysis"
import { Effect } from "effect"
import { makeCoinPostFilter } from "../../src/bluesky/coinPosts.ts"
import { FrameReader } from "../../src/bluesky/FrameReader.ts"
import { ReplayCoverage } from "../../src/bluesky/ReplayCoverage.ts"
import { foldStreamEvents, type StreamEvent } from "../../src/collect/streamBatch.ts"
import { Bluesky, type BlueskyFrame, layerBluesky, type SocketEvent } from "../../src/index.ts"
import { socketSuite } from "../support/socketSuite.ts"

const start = Date.parse("2026-11-20T12:00:00Z")
const did = "did:plc:eygmaihciaxprqvxpfvl6flk"
const text = "$BTC is up, bullish"

const commit = (part: object, time = start, actor = did) => ({
  did: actor,
  time_us: time * 1_000 + 308,
  cursor: 12_345,
  kind: "commit",
  commit: {
    rev: "3l3qo2vutsw2b",
    operation: "create",
    collection: "app.bsky.feed.post",
    rkey: "3l3qo2vuowo2b",
    cid: "bafyreidwaivazkwu67xztlmuobx35hs2lnfh3kolmgfmucldvhd3sgzcqi",
    ...part
  }
})
const record = (text: string, rest: object = {}) => ({
  $type: "app.bsky.feed.post",
  createdAt: "2026-11-20T11:59:59.102Z",
  langs: ["en-US"],
  text: text,
  ...rest
})
const id = `at://${did}/app.bsky.feed.post/3l3qo2vuowo2b`
const post = { id, did, coins: ["BTC"], text, language: "en" }

const framesOf = (maxPostsPerSecond = 200) => {
  let now = start + 5_000
  const frames = new FrameReader({ toCoinPost: makeCoinPostFilter(["BTC", "ETH"]), now: () => now, maxPostsPerSecond })
  const read = (message: object): ReadonlyArray<BlueskyFrame> => {
    now += 250
    const frameEvents = frames.read(JSON.stringify(message))
    return frameEvents._tag === "Success" ? frameEvents.success : assert.fail(frameEvents.failure)
  }
  return { frames, read }
}

const first: BlueskyFrame = { _tag: "post", time: start, post: { ...post, sentiment: getTone(text) } }

describe("posts of Bluesky", () => {
  it("are kept if they name a coin in a supported language", () => {
    const { read } = framesOf()
    const readPosts = (text: string, rest: object = {}) => {
      const messages = read(commit({ record: record(text, rest) }))
      return messages.flatMap((frame) => frame._tag === "post" ? [[frame.post.coins, frame.post.language]] : [])
    }
    assert.deepStrictEqual(readPosts("bitcoin and ETH"), [[["BTC", "ETH"], "en"]])
    assert.deepStrictEqual(readPosts("비트코인 간다", { langs: ["ko"] }), [[["BTC"], "ko"]])
    assert.deepStrictEqual(readPosts("Биткоин растёт", { langs: [] }), [[["BTC"], "ru"]])
    assert.deepStrictEqual(readPosts("비트코인", { langs: "ko" }), [[["BTC"], "ko"]])
    assert.deepStrictEqual(readPosts("look", { tags: ["bitcoin"] }), [[["BTC"], "en"]])
    assert.deepStrictEqual(readPosts("bitcoin", { createdAt: "yesterday" }), [[["BTC"], "en"]])
    assert.deepStrictEqual(readPosts("bitcoin", { createdAt: "2099-01-01T00:00:00Z" }), [[["BTC"], "en"]])
    const ignoredPosts: ReadonlyArray<readonly [string, object?]> = [
      ["good morning"],
      ["bitcoin", { langs: ["ja"] }],
      // A post with an old creation time is an import from another network.
      ["bitcoin", { createdAt: "2023-01-01T00:00:00Z" }],
      ["bitcoin", { text: 5 }],
      ["", { tags: ["bitcoin"] }]
    ]
    for (const [text, rest] of ignoredPosts) assert.deepStrictEqual(readPosts(text, rest), [], text)
    for (const invalidRecord of [null, 5, "bitcoin", []]) {
      assert.isTrue(read(commit({ record: invalidRecord })).every(({ _tag }) => _tag === "progress"))
    }
  })

  it("are removed after a deletion, an edit to another subject, or the end of their account", () => {
    const { read } = framesOf()
    const readUntilNext = (message: object) =>
      [...read(message), ...read(commit({ collection: "app.bsky.feed.like" }, start + ++seconds * 1_000))]
        .flatMap((frame) => frame._tag === "removed" ? frame.ids : [])
    let seconds = 0
    read(commit({ record: record(text) }))
    assert.deepStrictEqual(readUntilNext(commit({ operation: "delete" })), [id])
    assert.deepStrictEqual(readUntilNext(commit({ operation: "update", record: record("good morning") })), [id])
    assert.deepStrictEqual(readUntilNext(commit({ operation: "update", record: record("ETH") })), [])
    const account = (part: object) => ({
      did,
      time_us: start * 1_000,
      kind: "account",
      account: { did, seq: 1, ...part }
    })
    for (const status of ["deleted", "deactivated", "takendown", "suspended"]) {
      assert.deepStrictEqual(readUntilNext(account({ active: false, status })), [`at://${did}/`])
    }
    assert.deepStrictEqual(readUntilNext(account({ active: true })), [])
    assert.deepStrictEqual(readUntilNext(account({ active: false, status: "desynchronized" })), [])
    // If a post is deleted and created again, the removal precedes the new post.
    read(commit({ operation: "delete" }))
    assert.deepStrictEqual(read(commit({ record: record(text) })).map(({ _tag }) => _tag), ["removed", "post"])
  })

  it("are limited to a rate, and reported as sampled above it", () => {
    const { read } = framesOf(2)
    const readPosts = Array.from({ length: 30 }, (_, i) => read(commit({ rkey: `${i}`, record: record(text) })))
    const tags = readPosts.flat().map(({ _tag }) => _tag).filter((tag) => tag !== "progress")
    assert.deepStrictEqual([...new Set(tags.slice(0, 20))], ["post"])
    assert.deepStrictEqual([...new Set(tags.slice(20))], ["sampled"])
    assert.strictEqual(read(commit({ record: record(text) }, start + 1_000))[0]!._tag, "post")
  })

  it("are rejected if their time is impossible", () => {
    const { frames } = framesOf()
    for (const time of [start + 3_600_000, start * 1_000, start / 1_000, -1, 0.5]) {
      assert.strictEqual(frames.read(JSON.stringify(commit({ record: record(text) }, time)))._tag, "Failure", `${time}`)
    }
  })
})

const replayCoverage = (from: number | null, events: ReadonlyArray<SocketEvent<BlueskyFrame>>) => {
  const replay = new ReplayCoverage(from)
  const streamEvents: ReadonlyArray<StreamEvent> = events.flatMap((event) => replay.convert(event, () => [null]))
  const { coveredFrom, covers, lost } = foldStreamEvents(undefined, streamEvents)
  return { covers, lost, coveredFrom }
}
const up: SocketEvent<BlueskyFrame> = { _tag: "up", at: 9e12 }
const gap: SocketEvent<BlueskyFrame> = { _tag: "gap", from: 9e12, to: 9e12 + 1, why: "it was lost" }
const progressAt = (time: number): SocketEvent<BlueskyFrame> => ({
  _tag: "heard",
  value: { _tag: "progress", time },
  at: 9e12
})
const sampled = (time: number): SocketEvent<BlueskyFrame> => ({
  _tag: "heard",
  value: { _tag: "sampled", time },
  at: 9e12
})

describe("the coverage of a replayed stream", () => {
  it("spans the stream's own times from the requested start", () => {
    assert.deepStrictEqual(replayCoverage(null, [up, progressAt(100), progressAt(200)]), {
      covers: [{ from: 100, to: 200 }],
      lost: [],
      coveredFrom: 200
    })
    assert.deepStrictEqual(replayCoverage(150, [up, progressAt(100), progressAt(200)]).covers, [{ from: 150, to: 200 }])
    // The server may replay only a part of the requested events.
    assert.deepStrictEqual(replayCoverage(50, [up, progressAt(100), progressAt(200)]).covers, [{ from: 100, to: 200 }])
  })

  it("has a gap only if a new connection resumes after the end of the lost one", () => {
    const replayed = replayCoverage(null, [
      up,
      progressAt(100),
      progressAt(200),
      gap,
      up,
      progressAt(150),
      progressAt(300)
    ])
    assert.deepStrictEqual([replayed.covers, replayed.lost], [[{ from: 100, to: 300 }], []])
    const resumedLate = replayCoverage(null, [
      up,
      progressAt(100),
      progressAt(200),
      gap,
      up,
      progressAt(250),
      progressAt(300)
    ])
    assert.deepStrictEqual(resumedLate.lost, [{ from: 200, to: 250 }])
  })

  it("has a gap where events were lost here or sampled", () => {
    const withLostEvents = replayCoverage(null, [up, progressAt(100), gap, progressAt(200), progressAt(300)])
    assert.deepStrictEqual([withLostEvents.lost, withLostEvents.covers], [[{ from: 100, to: 201 }], [{
      from: 201,
      to: 300
    }]])
    const left = replayCoverage(null, [up, progressAt(100), sampled(120), progressAt(200), progressAt(300)])
    assert.deepStrictEqual(left.lost, [{ from: 100, to: 201 }])
  })
})

socketSuite<BlueskyFrame, Bluesky>({
  source: "bluesky",
  layer: (baseUrl) => layerBluesky({ baseUrl, coins: ["BTC"] }),
  socket: Effect.map(Bluesky, ({ take }) => ({
    take: Effect.map(take, (events) => events.filter((one) => one._tag !== "heard" || one.value._tag !== "progress"))
  })),
  path: "/subscribe",
  message: commit({ record: record(text) }),
  value: first,
  // The adapter ignores the kinds of other events, and fields that client programs can fill with any value.
  ignoredLeaves: ["kind", "commit.collection", "commit.record.text", "commit.record.langs.0"]
})

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

const commit = (part: object, time = start, who = did) => ({
  did: who,
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
const record = (said: string, rest: object = {}) => ({
  $type: "app.bsky.feed.post",
  createdAt: "2026-11-20T11:59:59.102Z",
  langs: ["en-US"],
  text: said,
  ...rest
})
const id = `at://${did}/app.bsky.feed.post/3l3qo2vuowo2b`
const post = { id, did, coins: ["BTC"], text, language: "en" }

const framesOf = (maxPostsPerSecond = 200) => {
  let now = start + 5_000
  const frames = new FrameReader({ toCoinPost: makeCoinPostFilter(["BTC", "ETH"]), now: () => now, maxPostsPerSecond })
  const read = (message: object): ReadonlyArray<BlueskyFrame> => {
    now += 250
    const told = frames.read(JSON.stringify(message))
    return told._tag === "Success" ? told.success : assert.fail(told.failure)
  }
  return { frames, read }
}

const first: BlueskyFrame = { _tag: "post", time: start, post: { ...post, sentiment: getTone(text) } }

describe("posts of Bluesky", () => {
  it("are kept if they name a coin in a supported language", () => {
    const { read } = framesOf()
    const kept = (said: string, rest: object = {}) => {
      const told = read(commit({ record: record(said, rest) }))
      return told.flatMap((frame) => frame._tag === "post" ? [[frame.post.coins, frame.post.language]] : [])
    }
    assert.deepStrictEqual(kept("bitcoin and ETH"), [[["BTC", "ETH"], "en"]])
    assert.deepStrictEqual(kept("비트코인 간다", { langs: ["ko"] }), [[["BTC"], "ko"]])
    assert.deepStrictEqual(kept("Биткоин растёт", { langs: [] }), [[["BTC"], "ru"]])
    assert.deepStrictEqual(kept("비트코인", { langs: "ko" }), [[["BTC"], "ko"]])
    assert.deepStrictEqual(kept("look", { tags: ["bitcoin"] }), [[["BTC"], "en"]])
    assert.deepStrictEqual(kept("bitcoin", { createdAt: "yesterday" }), [[["BTC"], "en"]])
    assert.deepStrictEqual(kept("bitcoin", { createdAt: "2099-01-01T00:00:00Z" }), [[["BTC"], "en"]])
    const none: ReadonlyArray<readonly [string, object?]> = [
      ["good morning"],
      ["bitcoin", { langs: ["ja"] }],
      // A post with an old creation time is an import from another network.
      ["bitcoin", { createdAt: "2023-01-01T00:00:00Z" }],
      ["bitcoin", { text: 5 }],
      ["", { tags: ["bitcoin"] }]
    ]
    for (const [said, rest] of none) assert.deepStrictEqual(kept(said, rest), [], said)
    for (const wrong of [null, 5, "bitcoin", []]) {
      assert.isTrue(read(commit({ record: wrong })).every(({ _tag }) => _tag === "progress"))
    }
  })

  it("are removed after a deletion, an edit to another subject, or the end of their account", () => {
    const { read } = framesOf()
    const gone = (message: object) =>
      [...read(message), ...read(commit({ collection: "app.bsky.feed.like" }, start + ++seconds * 1_000))]
        .flatMap((frame) => frame._tag === "removed" ? frame.ids : [])
    let seconds = 0
    read(commit({ record: record(text) }))
    assert.deepStrictEqual(gone(commit({ operation: "delete" })), [id])
    assert.deepStrictEqual(gone(commit({ operation: "update", record: record("good morning") })), [id])
    assert.deepStrictEqual(gone(commit({ operation: "update", record: record("ETH") })), [])
    const account = (part: object) => ({
      did,
      time_us: start * 1_000,
      kind: "account",
      account: { did, seq: 1, ...part }
    })
    for (const status of ["deleted", "deactivated", "takendown", "suspended"]) {
      assert.deepStrictEqual(gone(account({ active: false, status })), [`at://${did}/`])
    }
    assert.deepStrictEqual(gone(account({ active: true })), [])
    assert.deepStrictEqual(gone(account({ active: false, status: "desynchronized" })), [])
    // If a post is deleted and created again, the removal precedes the new post.
    read(commit({ operation: "delete" }))
    assert.deepStrictEqual(read(commit({ record: record(text) })).map(({ _tag }) => _tag), ["removed", "post"])
  })

  it("are limited to a rate, and reported as sampled above it", () => {
    const { read } = framesOf(2)
    const said = Array.from({ length: 30 }, (_, i) => read(commit({ rkey: `${i}`, record: record(text) })))
    const tags = said.flat().map(({ _tag }) => _tag).filter((tag) => tag !== "progress")
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

const stretch = (from: number | null, events: ReadonlyArray<SocketEvent<BlueskyFrame>>) => {
  const retold = new ReplayCoverage(from)
  const heard: ReadonlyArray<StreamEvent> = events.flatMap((event) => retold.convert(event, () => [null]))
  const { coveredFrom, covers, lost } = foldStreamEvents(undefined, heard)
  return { covers, lost, coveredFrom }
}
const up: SocketEvent<BlueskyFrame> = { _tag: "up", at: 9e12 }
const gap: SocketEvent<BlueskyFrame> = { _tag: "gap", from: 9e12, to: 9e12 + 1, why: "it was lost" }
const told = (time: number): SocketEvent<BlueskyFrame> => ({
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
    assert.deepStrictEqual(stretch(null, [up, told(100), told(200)]), {
      covers: [{ from: 100, to: 200 }],
      lost: [],
      coveredFrom: 200
    })
    assert.deepStrictEqual(stretch(150, [up, told(100), told(200)]).covers, [{ from: 150, to: 200 }])
    // The server can replay fewer events than requested.
    assert.deepStrictEqual(stretch(50, [up, told(100), told(200)]).covers, [{ from: 100, to: 200 }])
  })

  it("has a gap only if a new connection resumes after the end of the lost one", () => {
    const again = stretch(null, [up, told(100), told(200), gap, up, told(150), told(300)])
    assert.deepStrictEqual([again.covers, again.lost], [[{ from: 100, to: 300 }], []])
    const late = stretch(null, [up, told(100), told(200), gap, up, told(250), told(300)])
    assert.deepStrictEqual(late.lost, [{ from: 200, to: 250 }])
  })

  it("has a gap where events were lost here or sampled", () => {
    const lost = stretch(null, [up, told(100), gap, told(200), told(300)])
    assert.deepStrictEqual([lost.lost, lost.covers], [[{ from: 100, to: 201 }], [{ from: 201, to: 300 }]])
    const left = stretch(null, [up, told(100), sampled(120), told(200), told(300)])
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
  // Events of other kinds, and fields that client programs can fill with any value.
  ignoredLeaves: ["kind", "commit.collection", "commit.record.text", "commit.record.langs.0"]
})

import { assert, layer as withLayer } from "@effect/vitest"
import { artifactRetentionMs, ArtifactStore, isArtifactId, maxArtifacts } from "@tapeline/core/analysis"
import { Effect, type Layer } from "effect"

let lastAccount = 5_000
const bytes = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 7) % 256)

const makeArtifact = (account: number, callId: string, seed = 1, size = 64) => ({
  account,
  callId,
  about: JSON.stringify({ seed, name: "삼성전자 «Объём» \u0000" }),
  images: { png: bytes(size, seed), svg: new TextEncoder().encode(`<svg>${seed} 가</svg>`) }
})

const readImage = (account: number, id: string, format: "png" | "svg" = "png") =>
  Effect.flatMap(ArtifactStore, (store) => store.readImage({ account, id, format }))
const storeArtifact = (artifact: ReturnType<typeof makeArtifact>) =>
  Effect.flatMap(ArtifactStore, (store) => store.save(artifact))

/** Defines the contract tests of `ArtifactStore`. The function `advance` simulates that time passes in the store. */
export const artifactStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<R, E>,
  advance: (ms: number) => Effect.Effect<void, unknown, R>,
  { excludeTestServices = false, timeoutMs = 60_000 }: {
    readonly timeoutMs?: number
    readonly excludeTestServices?: boolean
  } = {}
): void =>
  withLayer(layer, { excludeTestServices, timeout: timeoutMs })(`ArtifactStore: ${name}`, (it) => {
    it.effect("returns the stored bytes, only to their account", () =>
      Effect.gen(function*() {
        const [account, other] = [++lastAccount, ++lastAccount]
        const artifact = makeArtifact(account, "1", 3, 300_000)
        const { about, id } = yield* storeArtifact(artifact)
        assert.deepStrictEqual([isArtifactId(id), about], [true, artifact.about], id)
        assert.deepStrictEqual(Uint8Array.from((yield* readImage(account, id)) ?? []), artifact.images.png)
        assert.deepStrictEqual(Uint8Array.from((yield* readImage(account, id, "svg")) ?? []), artifact.images.svg)
        assert.isNull(yield* readImage(other, id))
        for (const unknown of ["", "x", id.toUpperCase(), `${id} `, "' or 1=1 --", "\u0000", "a".repeat(32)]) {
          assert.isNull(yield* readImage(account, unknown), unknown)
        }
      }))

    it.effect("keeps the first artifact of a call, also if the call is repeated", () =>
      Effect.gen(function*() {
        const [account, other] = [++lastAccount, ++lastAccount]
        const all = yield* Effect.forEach([1, 2, 3, 4], (seed) => storeArtifact(makeArtifact(account, "9/x", seed)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(all.map(({ id }) => id)).size, 1)
        const repeated = yield* storeArtifact(makeArtifact(account, "9/x", 5))
        assert.deepStrictEqual(repeated, all[0])
        const { seed }: { readonly seed: number } = JSON.parse(repeated.about)
        assert.deepStrictEqual(Uint8Array.from((yield* readImage(account, repeated.id)) ?? []), bytes(64, seed))
        const others = [
          yield* storeArtifact(makeArtifact(other, "9/x")),
          yield* storeArtifact(makeArtifact(account, "9"))
        ]
        assert.notInclude(others.map(({ id }) => id), repeated.id)
      }))

    it.effect("deletes the oldest artifacts of an account above its limit, and none of another account", () =>
      Effect.gen(function*() {
        const [account, other] = [++lastAccount, ++lastAccount]
        const others = yield* storeArtifact(makeArtifact(other, "1"))
        const storedArtifacts = yield* Effect.forEach(
          Array.from({ length: maxArtifacts + 3 }),
          (_, i) => Effect.andThen(advance(1), storeArtifact(makeArtifact(account, `${i}`)))
        )
        const stillStored = yield* Effect.forEach(
          storedArtifacts,
          ({ id }) => Effect.map(readImage(account, id), (image) => image !== null)
        )
        assert.deepStrictEqual(stillStored, storedArtifacts.map((_, i) => i >= 3))
        assert.isNotNull(yield* readImage(other, others.id))
        // Setting the clock back does not make new artifacts older.
        yield* advance(-3_600_000)
        assert.isNotNull(yield* readImage(account, (yield* storeArtifact(makeArtifact(account, "late"))).id))
      }))

    it.effect("deletes expired artifacts, and stores a new one for the same call afterwards", () =>
      Effect.gen(function*() {
        const account = ++lastAccount
        const old = yield* storeArtifact(makeArtifact(account, "1", 1))
        yield* advance(artifactRetentionMs / 2)
        const newer = yield* storeArtifact(makeArtifact(account, "2", 2))
        assert.isNotNull(yield* readImage(account, old.id))
        yield* advance(artifactRetentionMs / 2)
        assert.isNull(yield* readImage(account, old.id))
        assert.isNotNull(yield* readImage(account, newer.id))
        const replacement = yield* storeArtifact(makeArtifact(account, "1", 3))
        assert.notStrictEqual(replacement.id, old.id)
        assert.deepStrictEqual(Uint8Array.from((yield* readImage(account, replacement.id)) ?? []), bytes(64, 3))
      }))
  })

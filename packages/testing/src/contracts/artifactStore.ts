import { assert, layer as withLayer } from "@effect/vitest"
import { artifactKeptMs, artifactsAtMost, ArtifactStore, isArtifactId } from "@tapeline/core/analysis"
import { Effect, type Layer } from "effect"

let accounts = 5_000
const bytes = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 7) % 256)

const artifactOf = (account: number, callId: string, seed = 1, size = 64) => ({
  account,
  callId,
  about: JSON.stringify({ seed, name: "삼성전자 «Объём» \u0000" }),
  forms: { png: bytes(size, seed), svg: new TextEncoder().encode(`<svg>${seed} 가</svg>`) }
})

const imageOf = (account: number, id: string, form: "png" | "svg" = "png") =>
  Effect.flatMap(ArtifactStore, (store) => store.image({ account, id, form }))
const keep = (artifact: ReturnType<typeof artifactOf>) => Effect.flatMap(ArtifactStore, (store) => store.keep(artifact))

/**
 * The contract tests of `ArtifactStore`. `advance` moves the store's own time forward, or its content back, which has
 * the same effect.
 */
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
    it.effect("gives the bytes that were kept, to their account alone", () =>
      Effect.gen(function*() {
        const [mine, other] = [++accounts, ++accounts]
        const artifact = artifactOf(mine, "1", 3, 300_000)
        const { about, id } = yield* keep(artifact)
        assert.deepStrictEqual([isArtifactId(id), about], [true, artifact.about], id)
        assert.deepStrictEqual(Uint8Array.from((yield* imageOf(mine, id)) ?? []), artifact.forms.png)
        assert.deepStrictEqual(Uint8Array.from((yield* imageOf(mine, id, "svg")) ?? []), artifact.forms.svg)
        assert.isNull(yield* imageOf(other, id))
        for (const unknown of ["", "x", id.toUpperCase(), `${id} `, "' or 1=1 --", "\u0000", "a".repeat(32)]) {
          assert.isNull(yield* imageOf(mine, unknown), unknown)
        }
      }))

    it.effect("keeps one artifact for a call, the first, however often and whenever it is made", () =>
      Effect.gen(function*() {
        const [mine, other] = [++accounts, ++accounts]
        const all = yield* Effect.forEach([1, 2, 3, 4], (seed) => keep(artifactOf(mine, "9/x", seed)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(all.map(({ id }) => id)).size, 1)
        const again = yield* keep(artifactOf(mine, "9/x", 5))
        assert.deepStrictEqual(again, all[0])
        const { seed }: { readonly seed: number } = JSON.parse(again.about)
        assert.deepStrictEqual(Uint8Array.from((yield* imageOf(mine, again.id)) ?? []), bytes(64, seed))
        const others = [yield* keep(artifactOf(other, "9/x")), yield* keep(artifactOf(mine, "9"))]
        assert.notInclude(others.map(({ id }) => id), again.id)
      }))

    it.effect("forgets the oldest of an account that keeps too many, and nobody else's", () =>
      Effect.gen(function*() {
        const [mine, other] = [++accounts, ++accounts]
        const others = yield* keep(artifactOf(other, "1"))
        const kept = yield* Effect.forEach(
          Array.from({ length: artifactsAtMost + 3 }),
          (_, i) => Effect.andThen(advance(1), keep(artifactOf(mine, `${i}`)))
        )
        const there = yield* Effect.forEach(kept, ({ id }) => Effect.map(imageOf(mine, id), (image) => image !== null))
        assert.deepStrictEqual(there, kept.map((_, i) => i >= 3))
        assert.isNotNull(yield* imageOf(other, others.id))
        // Setting the clock back does not make new artifacts older.
        yield* advance(-3_600_000)
        assert.isNotNull(yield* imageOf(mine, (yield* keep(artifactOf(mine, "late"))).id))
      }))

    it.effect("forgets what is old, and keeps for the same call anew then", () =>
      Effect.gen(function*() {
        const mine = ++accounts
        const old = yield* keep(artifactOf(mine, "1", 1))
        yield* advance(artifactKeptMs / 2)
        const young = yield* keep(artifactOf(mine, "2", 2))
        assert.isNotNull(yield* imageOf(mine, old.id))
        yield* advance(artifactKeptMs / 2)
        assert.isNull(yield* imageOf(mine, old.id))
        assert.isNotNull(yield* imageOf(mine, young.id))
        const anew = yield* keep(artifactOf(mine, "1", 3))
        assert.notStrictEqual(anew.id, old.id)
        assert.deepStrictEqual(Uint8Array.from((yield* imageOf(mine, anew.id)) ?? []), bytes(64, 3))
      }))
  })

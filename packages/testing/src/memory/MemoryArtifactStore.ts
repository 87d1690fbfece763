import { type Artifact, artifactKeptMs, artifactsAtMost, ArtifactStore, newArtifactId } from "@tapeline/core/analysis"
import { Clock, Effect, Layer } from "effect"

interface KeptRow extends Artifact {
  readonly id: string
  readonly at: number
}

/** `ArtifactStore` in memory, a new store for each built layer. Its time is the layer's clock. */
export const MemoryArtifactStore: Layer.Layer<never> = Layer.effect(
  ArtifactStore,
  Effect.gen(function*() {
    // A request with a time in the past has another clock, which must not decide how long artifacts are kept.
    const clock = yield* Clock.Clock
    /** By account, oldest first. */
    const accounts = new Map<number, ReadonlyArray<KeptRow>>()
    const rowsOf = (account: number): ReadonlyArray<KeptRow> => {
      const from = clock.currentTimeMillisUnsafe() - artifactKeptMs
      return (accounts.get(account) ?? []).filter(({ at }) => at > from)
    }
    return {
      keep: (artifact) =>
        Effect.sync(() => {
          const rows = rowsOf(artifact.account)
          const known = rows.find(({ callId }) => callId === artifact.callId)
          const row = known ?? {
            ...artifact,
            forms: { png: artifact.forms.png.slice(), svg: artifact.forms.svg.slice() },
            id: newArtifactId(),
            at: clock.currentTimeMillisUnsafe()
          }
          // Also removes expired artifacts of other accounts.
          for (const account of accounts.keys()) if (rowsOf(account).length === 0) accounts.delete(account)
          accounts.set(artifact.account, known === undefined ? [...rows, row].slice(-artifactsAtMost) : rows)
          return { id: row.id, about: row.about }
        }),
      image: ({ account, form, id }) =>
        Effect.sync(() => rowsOf(account).find((row) => row.id === id)?.forms[form].slice() ?? null)
    }
  })
)

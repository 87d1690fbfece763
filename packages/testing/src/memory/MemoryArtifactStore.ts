import { type Artifact, artifactKeptMs, artifactsAtMost, ArtifactStore, newArtifactId } from "@tapeline/core/analysis"
import { Clock, Effect, Layer } from "effect"

interface KeptRow extends Artifact {
  readonly id: string
  readonly at: number
}

/** `ArtifactStore` in memory, a store of its own for each layer that is built; its time is the layer's own clock. */
export const MemoryArtifactStore: Layer.Layer<never> = Layer.effect(
  ArtifactStore,
  Effect.gen(function*() {
    // Who asks as of the past has another clock, by which nothing is kept.
    const clock = yield* Clock.Clock
    /** By account, the oldest first. */
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
          // What others have left is removed as well.
          for (const account of accounts.keys()) if (rowsOf(account).length === 0) accounts.delete(account)
          accounts.set(artifact.account, known === undefined ? [...rows, row].slice(-artifactsAtMost) : rows)
          return { id: row.id, about: row.about }
        }),
      image: ({ account, form, id }) =>
        Effect.sync(() => rowsOf(account).find((row) => row.id === id)?.forms[form].slice() ?? null)
    }
  })
)

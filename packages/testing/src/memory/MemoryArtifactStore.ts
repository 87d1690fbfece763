import {
  type Artifact,
  artifactRetentionMs,
  ArtifactStore,
  makeArtifactId,
  maxArtifacts
} from "@tapeline/core/analysis"
import { Clock, Effect, Layer } from "effect"

interface StoredArtifact extends Artifact {
  readonly id: string
  readonly storedAt: number
}

/** `ArtifactStore` in memory, a new store for each built layer. Its time is the layer's clock. */
export const MemoryArtifactStore: Layer.Layer<never> = Layer.effect(
  ArtifactStore,
  Effect.gen(function*() {
    // A request with a time in the past has another clock, which must not decide how long artifacts are kept.
    const clock = yield* Clock.Clock
    /** By account, oldest first. */
    const rowsByAccount = new Map<number, ReadonlyArray<StoredArtifact>>()
    const getRows = (account: number): ReadonlyArray<StoredArtifact> => {
      const from = clock.currentTimeMillisUnsafe() - artifactRetentionMs
      return (rowsByAccount.get(account) ?? []).filter(({ storedAt }) => storedAt > from)
    }
    return {
      save: (artifact) =>
        Effect.sync(() => {
          const rows = getRows(artifact.account)
          const existing = rows.find(({ callId }) => callId === artifact.callId)
          const row = existing ?? {
            ...artifact,
            images: { png: artifact.images.png.slice(), svg: artifact.images.svg.slice() },
            id: makeArtifactId(),
            storedAt: clock.currentTimeMillisUnsafe()
          }
          // Also removes expired artifacts of other accounts.
          for (const account of rowsByAccount.keys()) if (getRows(account).length === 0) rowsByAccount.delete(account)
          rowsByAccount.set(artifact.account, existing === undefined ? [...rows, row].slice(-maxArtifacts) : rows)
          return { id: row.id, about: row.about }
        }),
      readImage: ({ account, format, id }) =>
        Effect.sync(() => getRows(account).find((row) => row.id === id)?.images[format].slice() ?? null)
    }
  })
)

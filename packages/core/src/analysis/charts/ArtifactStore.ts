import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { NoArtifactStore } from "./errors.ts"

export const artifactForms = ["png", "svg"] as const
export type ArtifactForm = (typeof artifactForms)[number]

/** An image that a call made, in its forms, and what the call tells of it. */
export interface Artifact {
  readonly account: number
  /** The call's identity among those of its account (`CallContext.callId`); at most 200 characters of ASCII. */
  readonly callId: string
  /** JSON that the call answers of the image, at most 64 KiB. */
  readonly about: string
  /** Each at most 1 MiB. */
  readonly forms: Readonly<Record<ArtifactForm, Uint8Array>>
}

/** An artifact as it is kept. */
export interface KeptArtifact {
  /** Its name within its account: 32 letters and digits that nobody can guess. */
  readonly id: string
  readonly about: string
}

/** How long an artifact is kept, ms: a week. */
export const artifactKeptMs = 7 * 86_400_000
/** Artifacts of one account at most: then the oldest go, and never another account's. */
export const artifactsAtMost = 200

/**
 * Keeps images for the accounts whose calls made them.
 *
 * - `keep` keeps whole artifacts: it succeeds when all of one is there for good, and keeps nothing where it fails.
 * - A call keeps one artifact. Where its account and `callId` have one, that one stays as it is, and `keep` answers it:
 *   what the caller gets told is what it finds. So is it when two keep for one call at once.
 * - `image` gives the bytes that were kept, for the account whose they are alone; null for another's, an unknown id, or
 *   one that is gone.
 * - An artifact is gone `artifactKeptMs` after it was kept, by the store's clock. Of more than `artifactsAtMost` of one
 *   account the oldest are gone when the last `keep` has answered. What is gone is removed, if not at once: a store
 *   that goes on keeping removes what other accounts have left as well.
 *
 * Left alone an engine has none, and `keep` and `image` fail with `NoArtifactStore`.
 */
export const ArtifactStore = Context.Reference<{
  readonly keep: (artifact: Artifact) => Effect.Effect<KeptArtifact, StoreUnavailable | NoArtifactStore>
  readonly image: (
    query: { readonly account: number; readonly id: string; readonly form: ArtifactForm }
  ) => Effect.Effect<Uint8Array | null, StoreUnavailable | NoArtifactStore>
}>("@tapeline/core/charts/ArtifactStore", {
  defaultValue: () => ({
    keep: () => Effect.fail(new NoArtifactStore()),
    image: () => Effect.fail(new NoArtifactStore())
  })
})

const alphabet = "abcdefghijklmnopqrstuvwxyz012345"

/** A name for an artifact: 160 random bits, five to a letter. */
export const newArtifactId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => alphabet[byte & 31]).join("")

/** True for what an artifact may be named. */
export const isArtifactId = (text: string): boolean => /^[a-z0-5]{32}$/.test(text)

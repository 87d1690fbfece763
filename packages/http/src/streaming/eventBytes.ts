import type { LoggedEvent } from "@tapeline/core"

/** An event as it goes over the wire, the same for every reader. Its data is on one line already. */
export const eventBytes = (generation: number, { data, kind, n }: LoggedEvent): Uint8Array =>
  Buffer.from(`id: ${generation}-${n}\nevent: ${kind}\ndata: ${data}\n\n`)

/** A line that tells a reader nothing, and keeps the proxies on its way awake. */
export const heartbeat: Uint8Array = Buffer.from(":\n\n")

const idForm = /^(\d{1,16})-(\d{1,10})$/

/**
 * The number of the last event that a reader has, by the ids that it names: of this generation, and of an event that
 * there is. Anything else is no id of it, and 0: nothing is skipped.
 */
export const lastRead = (
  { id, nextN }: { readonly id: number; readonly nextN: number },
  ...named: ReadonlyArray<string | undefined>
): number =>
  Math.max(
    0,
    ...named.map((text) => {
      const [, generation, n] = idForm.exec(text?.trim() ?? "") ?? []
      return generation !== undefined && Number(generation) === id && Number(n) < nextN ? Number(n) : 0
    })
  )

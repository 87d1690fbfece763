import { type Catalogue, type Service, ServiceError } from "../service.ts"

/** The interval of catalogue requests, in ms; each catalogue request counts toward the key's rate limit. */
export const pollIntervalMs = 60_000

export interface WatchedService {
  readonly service: Service
  readonly stop: () => void
}

const changeCodes = new Set(["scope_required", "unknown_tool"])

/**
 * Polls the catalogue and calls `onChange` if the catalogue has changed. Also requests the catalogue when the service
 * rejects a call of a listed tool.
 */
export const watchCatalogue = (service: Service, onChange: () => void, everyMs = pollIntervalMs): WatchedService => {
  let lastCatalogue: Catalogue | undefined
  const catalogue: Service["catalogue"] = async (signal) => {
    const currentCatalogue = await service.catalogue(signal)
    const previousCatalogue = lastCatalogue
    lastCatalogue = currentCatalogue
    // The contents are compared too, because concurrent requests return different objects with equal contents.
    const changed = previousCatalogue !== undefined && previousCatalogue !== currentCatalogue &&
      JSON.stringify(previousCatalogue) !== JSON.stringify(currentCatalogue)
    if (changed) onChange()
    return currentCatalogue
  }
  const poll = () => {
    // The failure is ignored, because the next call reports, for example, an invalid key.
    catalogue().catch(() => undefined)
  }
  const pollOnRejection = async <A>(work: Promise<A>): Promise<A> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ServiceError && changeCodes.has(error.rejectionCode ?? "")) poll()
      throw error
    }
  }
  // The polling timer must not keep the process alive.
  const timer = setInterval(poll, everyMs).unref()
  return {
    service: {
      catalogue,
      call: (name, args, signal) => pollOnRejection(service.call(name, args, signal)),
      ask: (question, signals) => pollOnRejection(service.ask(question, signals)),
      acceptProposal: (id, signal) => pollOnRejection(service.acceptProposal(id, signal))
    },
    stop: () => clearInterval(timer)
  }
}

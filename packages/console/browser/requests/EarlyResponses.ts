/**
 * The responses that a page requests before its components are loaded, so that the network transfers data and scripts
 * at the same time. Each response is used at most once.
 */
export class EarlyResponses {
  readonly #responses = new Map<string, Promise<unknown>>()

  add(key: ReadonlyArray<unknown>, response: Promise<unknown>): void {
    // The component that takes the response reports its failure.
    response.catch(() => undefined)
    this.#responses.set(JSON.stringify(key), response)
  }

  /** Removes and returns the response of a request key; undefined if the page has not sent the request early. */
  take<A>(key: ReadonlyArray<unknown>): Promise<A> | undefined {
    const name = JSON.stringify(key)
    const response = this.#responses.get(name)
    this.#responses.delete(name)
    // The cast is safe because equal keys belong to equal requests.
    return response as Promise<A> | undefined
  }

  /** Waits until each response has arrived or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#responses.values())
  }
}

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** How the proxy cuts a response: after `bytes` bytes, the connection is closed, reset or silent. */
export interface CutPlan {
  readonly bytes: number
  readonly end: "close" | "reset" | "stall"
}

/** A TCP proxy in front of a service, which cuts responses at chosen points. */
export class DisconnectingProxy {
  /** The port of the service, or undefined to refuse connections. */
  port: number | undefined
  /** Returns how to cut the response to a request line, with the request's number from 0, or undefined for no cut. */
  planCut: (line: string, request: number) => CutPlan | undefined = () => undefined
  requests: Array<string> = []
  cuts = 0
  #nextRequestArrival = Promise.withResolvers<void>()
  #answerArrival = Promise.withResolvers<void>()
  readonly #server: Server
  readonly #openSockets = new Set<Socket>()

  private constructor() {
    this.#server = createServer({ allowHalfOpen: false }, (client) => this.#serve(client))
  }

  static async start(): Promise<DisconnectingProxy> {
    const proxy = new DisconnectingProxy()
    await new Promise<void>((resolve) => void proxy.#server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  get url(): string {
    // The cast is safe because the address of a TCP server is an `AddressInfo`.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get nextRequest(): Promise<void> {
    return this.#nextRequestArrival.promise
  }

  /** Resolves when the first part of the response to the last request has arrived. */
  get firstAnswerByte(): Promise<void> {
    return this.#answerArrival.promise
  }

  disconnectAll(): void {
    for (const socket of this.#openSockets) {
      this.cuts++
      socket.destroy()
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#openSockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(client: Socket): void {
    if (this.port === undefined) return void client.destroy()
    const service = connect(this.port, "127.0.0.1")
    this.#openSockets.add(client)
    client.on("close", () => {
      this.#openSockets.delete(client)
      service.destroy()
    }).on("error", () => undefined)
    service.on("close", () => client.end()).on("error", () => undefined)
    let cutPlan: CutPlan | undefined
    let passedBytes = 0
    let isAnswered = true
    client.on("data", (chunk: Buffer) => {
      // The first bytes after a response are the beginning of the next request.
      if (isAnswered) {
        const line = chunk.toString("latin1").split("\r\n", 1)[0]!
        cutPlan = this.planCut(line, this.requests.length)
        this.requests.push(line)
        this.#answerArrival = Promise.withResolvers()
        this.#nextRequestArrival.resolve()
        this.#nextRequestArrival = Promise.withResolvers()
        passedBytes = 0
        isAnswered = false
      }
      service.write(chunk)
    })
    service.on("data", (chunk: Buffer) => {
      isAnswered = true
      this.#answerArrival.resolve()
      const remainingBytes = cutPlan === undefined ? chunk.length : Math.max(0, cutPlan.bytes - passedBytes)
      passedBytes += chunk.length
      if (remainingBytes >= chunk.length && !(cutPlan !== undefined && passedBytes === cutPlan.bytes)) {
        return void client.write(chunk)
      }
      service.pause()
      client.write(chunk.subarray(0, remainingBytes), () => this.#disconnect(client, cutPlan!.end))
    })
  }

  #disconnect(client: Socket, end: CutPlan["end"]): void {
    this.cuts++
    if (end === "close") client.destroy()
    if (end === "reset") client.resetAndDestroy()
  }
}

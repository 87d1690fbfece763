import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** The fate of one answer: after `bytes` bytes, its connection is closed, reset or silent. */
export interface Fate {
  readonly bytes: number
  readonly end: "close" | "reset" | "stall"
}

/** A TCP proxy in front of a service. It cuts answers at chosen points. */
export class CuttingProxy {
  /** The port of the service. If it is undefined, connections are refused. */
  port: number | undefined
  /** The fate of the answer to the request with this line and number, from 0. undefined passes the whole answer. */
  fateOf: (line: string, request: number) => Fate | undefined = () => undefined
  requests: Array<string> = []
  cuts = 0
  #waiting = Promise.withResolvers<void>()
  #answer = Promise.withResolvers<void>()
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor() {
    this.#server = createServer({ allowHalfOpen: false }, (client) => this.#serve(client))
  }

  static async start(): Promise<CuttingProxy> {
    const proxy = new CuttingProxy()
    await new Promise<void>((resolve) => void proxy.#server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  get url(): string {
    // The server listens on TCP.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves when the next request arrives. */
  get nextRequest(): Promise<void> {
    return this.#waiting.promise
  }

  /** Resolves when a part of the answer to the last request has arrived. */
  get answer(): Promise<void> {
    return this.#answer.promise
  }

  /** Cuts all open connections. */
  cutNow(): void {
    for (const socket of this.#open) {
      this.cuts++
      socket.destroy()
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(client: Socket): void {
    if (this.port === undefined) return void client.destroy()
    const service = connect(this.port, "127.0.0.1")
    this.#open.add(client)
    client.on("close", () => {
      this.#open.delete(client)
      service.destroy()
    }).on("error", () => undefined)
    service.on("close", () => client.end()).on("error", () => undefined)
    let fate: Fate | undefined
    let passed = 0
    let isAnswered = true
    client.on("data", (chunk: Buffer) => {
      // The first bytes after an answer belong to the next request.
      if (isAnswered) {
        const line = chunk.toString("latin1").split("\r\n", 1)[0]!
        fate = this.fateOf(line, this.requests.length)
        this.requests.push(line)
        this.#answer = Promise.withResolvers()
        this.#waiting.resolve()
        this.#waiting = Promise.withResolvers()
        passed = 0
        isAnswered = false
      }
      service.write(chunk)
    })
    service.on("data", (chunk: Buffer) => {
      isAnswered = true
      this.#answer.resolve()
      const room = fate === undefined ? chunk.length : Math.max(0, fate.bytes - passed)
      passed += chunk.length
      if (room >= chunk.length && !(fate !== undefined && passed === fate.bytes)) return void client.write(chunk)
      service.pause()
      client.write(chunk.subarray(0, room), () => this.#cut(client, fate!.end))
    })
  }

  #cut(client: Socket, end: Fate["end"]): void {
    this.cuts++
    if (end === "close") client.destroy()
    if (end === "reset") client.resetAndDestroy()
  }
}

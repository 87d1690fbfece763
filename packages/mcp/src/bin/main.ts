#!/usr/bin/env node
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { createClient } from "@tapeline/client"
import type { AddressInfo } from "node:net"
import { makeServer, version } from "../bridge.ts"
import { makeHttpFace } from "../httpFace.ts"
import { type Service, ServiceError } from "../service.ts"
import { help, type Options, readOptions, Unusable } from "./options.ts"
import { overClient } from "./overClient.ts"
import { mostBytes, path, serveHttp } from "./serveHttp.ts"
import { watching } from "./watching.ts"

/** Exit codes: invalid options, or the service does not respond. */
const codes = { unusable: 2, unreachable: 1 }

const end = (code: number, message: string): never => {
  process.stderr.write(`tapeline-mcp: ${message}\n`)
  process.exit(code)
}

/** Exits with an explanation of why the bridge cannot start. */
const explain = (error: unknown, { url }: Options): never => {
  if (!(error instanceof ServiceError)) {
    return end(codes.unusable, error instanceof Error ? error.message : String(error))
  }
  const { refusal, trouble } = error
  if (refusal === "invalid_key") {
    return end(codes.unusable, `${url} does not accept the key in TAPELINE_API_KEY: it is wrong, revoked or expired`)
  }
  if (refusal === "not_found") {
    return end(
      codes.unreachable,
      `no Tapeline service stands at ${url} (TAPELINE_URL): give its address without what follows, as /mcp or /v1`
    )
  }
  if (trouble.kind === "unreachable") {
    return end(codes.unreachable, `no Tapeline service answers at ${url} (TAPELINE_URL): ${error.message}`)
  }
  return end(codes.unreachable, `${url} refuses to list its tools: ${error.message}`)
}

const overStdio = (options: Options, client: Service): void => {
  // A client that first queries the protocol version and then begins in another way gets a new server.
  const servers = new Set<ReturnType<typeof makeServer>>()
  const { service } = watching(client, () => {
    for (const server of servers) server.sendToolListChanged().catch(() => undefined)
  })
  const handle = serveStdio(() => {
    const server = makeServer(service, { ...options, listChanges: true })
    servers.add(server)
    return server
  })
  // Running calls are cancelled, also in the service. A second signal ends the process at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void handle.close())
  service.catalogue().catch((error: unknown) => explain(error, options))
}

const overHttp = async (options: Options, port: number, client: Service): Promise<void> => {
  const { service, stop } = watching(client, () => face.toolsChanged())
  const face = makeHttpFace({ ...options, listChanges: true, mostBytes })
  await service.catalogue().catch((error: unknown) => explain(error, options))
  const server = await serveHttp(face, service, port).catch((error: unknown) =>
    end(
      codes.unusable,
      `it cannot listen on port ${port} (--http): ${error instanceof Error ? error.message : String(error)}`
    )
  )
  // The server listens on a port, so the address has this type.
  const { port: bound } = server.address() as AddressInfo
  process.stderr.write(`tapeline-mcp: listens on http://127.0.0.1:${bound}${path}\n`)
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop()
      server.close()
      void face.close().finally(() => server.closeAllConnections())
    })
  }
}

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2), process.env)
  if ("print" in options) {
    process.stdout.write(options.print === "help" ? help : `${version}\n`)
    return
  }
  const service = overClient(createClient({ url: options.url, key: options.key }))
  if (options.port === undefined) overStdio(options, service)
  else await overHttp(options, options.port, service)
}

main().catch((error: unknown) =>
  end(codes.unusable, error instanceof Unusable || error instanceof Error ? error.message : String(error))
)

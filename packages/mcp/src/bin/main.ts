#!/usr/bin/env node
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { createClient } from "@tapeline/client"
import type { AddressInfo } from "node:net"
import { makeMcpHttpHandler } from "../httpHandler.ts"
import { makeServer, version } from "../makeServer.ts"
import { type Service, ServiceError } from "../service.ts"
import { makeClientService } from "./clientService.ts"
import { help, InvalidOptions, type Options, readOptions } from "./options.ts"
import { maxMessageBytes, mcpPath, serveHttp } from "./serveHttp.ts"
import { watchCatalogue } from "./watchCatalogue.ts"

/** The exit codes of the MCP bridge: `unusable` for invalid options, `unreachable` if the service does not respond. */
const exitCodes = { unusable: 2, unreachable: 1 }

const exitWith = (code: number, message: string): never => {
  process.stderr.write(`tapeline-mcp: ${message}\n`)
  process.exit(code)
}

const exitWithExplanation = (error: unknown, { url }: Options): never => {
  if (!(error instanceof ServiceError)) {
    return exitWith(exitCodes.unusable, error instanceof Error ? error.message : String(error))
  }
  const { rejectionCode, reason } = error
  if (rejectionCode === "invalid_key") {
    return exitWith(
      exitCodes.unusable,
      `${url} rejected the key in TAPELINE_API_KEY: it is invalid, revoked or expired`
    )
  }
  if (rejectionCode === "not_found") {
    return exitWith(
      exitCodes.unreachable,
      `no Tapeline service is at ${url} (TAPELINE_URL): set its address without a path such as /mcp or /v1`
    )
  }
  if (reason.kind === "unreachable") {
    return exitWith(exitCodes.unreachable, `no Tapeline service responds at ${url} (TAPELINE_URL): ${error.message}`)
  }
  return exitWith(exitCodes.unreachable, `${url} rejected the request for its tools: ${error.message}`)
}

const serveOverStdio = (options: Options, client: Service): void => {
  // If a client queries the protocol version and then begins with another message, `serveStdio` creates another server.
  const servers = new Set<ReturnType<typeof makeServer>>()
  const { service } = watchCatalogue(client, () => {
    for (const server of servers) server.sendToolListChanged().catch(() => undefined)
  })
  const handle = serveStdio(() => {
    const server = makeServer(service, { ...options, listChanges: true })
    servers.add(server)
    return server
  })
  // Closing cancels running calls, also in the service, and a second signal ends the process at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void handle.close())
  service.catalogue().catch((error: unknown) => exitWithExplanation(error, options))
}

const serveOverHttp = async (options: Options, port: number, client: Service): Promise<void> => {
  const { service, stop } = watchCatalogue(client, () => httpHandler.notifyToolsChanged())
  const httpHandler = makeMcpHttpHandler({ ...options, listChanges: true, maxBodyBytes: maxMessageBytes })
  await service.catalogue().catch((error: unknown) => exitWithExplanation(error, options))
  const server = await serveHttp(httpHandler, service, port).catch((error: unknown) =>
    exitWith(
      exitCodes.unusable,
      `it cannot listen on port ${port} (--http): ${error instanceof Error ? error.message : String(error)}`
    )
  )
  // The cast is safe, because a server that listens on TCP has an `AddressInfo`.
  const { port: boundPort } = server.address() as AddressInfo
  process.stderr.write(`tapeline-mcp: listens on http://127.0.0.1:${boundPort}${mcpPath}\n`)
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop()
      server.close()
      void httpHandler.close().finally(() => server.closeAllConnections())
    })
  }
}

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2), process.env)
  if ("print" in options) {
    process.stdout.write(options.print === "help" ? help : `${version}\n`)
    return
  }
  const service = makeClientService(createClient({ url: options.url, key: options.key }))
  if (options.port === undefined) serveOverStdio(options, service)
  else await serveOverHttp(options, options.port, service)
}

main().catch((error: unknown) =>
  exitWith(
    exitCodes.unusable,
    error instanceof InvalidOptions || error instanceof Error ? error.message : String(error)
  )
)

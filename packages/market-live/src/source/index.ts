export { answering, presentOf } from "./answer.ts"
export { SocketConnections } from "./connection.ts"
export * from "./decoders.ts"
export { type Fault, notConfigured, notRead } from "./fault.ts"
export { firstServing } from "./firstServing.ts"
export { foldBook } from "./foldBook.ts"
export type { SocketEvent } from "./Inbox.ts"
export type { LimitedBy403, Refusal, RefusedInBody } from "./judge.ts"
export { fewOf, listOf } from "./leftOut.ts"
export type {
  Answer,
  FindRequest,
  Held,
  HeldRequest,
  JsonRequest,
  ParsedRequest,
  SourceOptions,
  TextRequest
} from "./request.ts"
export type { Knock, Opened, SessionOptions } from "./Session.ts"
export { defaultPatience, type Patience, type RateLimit } from "./settings.ts"
export { makeSocket, type Socket, type SocketOptions } from "./Socket.ts"
export { defaultSocketPatience, type SocketPatience } from "./socketSettings.ts"
export { makeSource, type Source } from "./Source.ts"
export { SourceHealth, type SourceState } from "./SourceHealth.ts"
export type { Received } from "./transport.ts"
export { xmlOf } from "./xml.ts"

export { SocketConnections } from "./connection.ts"
export * from "./decoders.ts"
export type { SocketEvent } from "./EventQueue.ts"
export { firstAvailable } from "./failover.ts"
export { type Fault, notConfigured, unreadableRow } from "./fault.ts"
export { foldBook } from "./foldOrderBook.ts"
export { defaultReconnectPolicy, defaultRetryPolicy } from "./policies.ts"
export type { RateLimit, ReconnectPolicy, RetryPolicy } from "./policies.ts"
export type { RateLimit403, ReadBodyRejection, Rejection } from "./rejections.ts"
export type {
  ConditionalRequest,
  FindRequest,
  JsonRequest,
  ParsedRequest,
  SourceOptions,
  SourceResponse,
  TextRequest,
  ValidatedValue
} from "./request.ts"
export type { OpenResult, SessionOptions, SessionRequest } from "./Session.ts"
export { lenientList, lenientShortList } from "./skippedRows.ts"
export { makeSocket, type Socket, type SocketOptions } from "./Socket.ts"
export { makeSource, type Source } from "./Source.ts"
export { SourceHealth, type SourceState } from "./SourceHealth.ts"
export { sourceTimeOf, withValue } from "./sourceResponse.ts"
export type { RawResponse } from "./transport.ts"
export { makeXmlParser } from "./xml.ts"

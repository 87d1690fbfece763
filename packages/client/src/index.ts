export type {
  AccountKeys,
  AccountMethods,
  AccountSessions,
  AccountUsage,
  IssuedKey,
  Key,
  ListPage,
  RotatedKey,
  SignedIn,
  SignInFailure,
  SignInWays
} from "./account.ts"
export {
  type AnswerEvent,
  applyEvent,
  type Message,
  type StoredEvent,
  type StreamedEvent
} from "./agent/AnswerEvent.ts"
export type { AnswerStream } from "./agent/AnswerStream.ts"
export type { ConversationView, MessagePage, Page } from "./agent/conversation.ts"
export * from "./Client.ts"
export { createClient } from "./createClient.ts"
export {
  AnswerLost,
  CallFailed,
  type Candidate,
  type ClientError,
  ConnectionLost,
  DeadlineExceeded,
  isClientError,
  type ProblemError,
  type ProblemErrorOf,
  type TagOf,
  UnexpectedAnswer
} from "./errors.ts"
export type {
  Notification,
  NotificationEvent,
  NotificationOptions,
  NotificationStream
} from "./notifications/NotificationStream.ts"
export type { CallOptions, ChargedOptions, ClientSettings } from "./settings.ts"
export type { BuiltIn, ToolAnswer, ToolMethod, Tools } from "./tools.ts"

export * from "./specifications.ts"
export { toNotificationRow } from "./tasks/rows.ts"
export * from "./tools.ts"

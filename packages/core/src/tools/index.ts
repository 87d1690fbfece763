export * from "./specifications.ts"
export { notificationRow } from "./tasks/rows.ts"
export * from "./tools.ts"

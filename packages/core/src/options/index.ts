export { atMaturity, type SmilePoint, termOf, type TermPoint } from "./term.ts"

export { atMaturity, readTerm, type SmilePoint, type TermPoint } from "./term.ts"

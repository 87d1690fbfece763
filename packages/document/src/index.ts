export { Description, type Json } from "./Description.ts"
export { judge, type Seen } from "./judge.ts"
export { responsesOf } from "./raw.ts"
export { taken, watch } from "./wire.ts"

import type { Language } from "@tapeline/core/engine"
import type { Finding, Findings } from "./Findings.ts"
import type { Planned, Section } from "./intent.ts"
import { text } from "./writing/text.ts"

/** Returns the call if it writes, or null for a call that only reads. */
export const asWrite = (call: Planned): Planned | null =>
  /^(?:get|search|run|screen|compare|make)_/.test(call.name) ? null : call

/** Returns whether the service turned a call into a proposal instead of making it. */
export const isProposed = ({ data, ok }: Finding): boolean => !ok && data.is("proposed")

const said = text(
  "I have changed nothing yet. The change is proposed below this answer: accept it there, or answer “yes” if it is the only one.",
  "아직 아무것도 바꾸지 않았습니다. 변경 내용은 이 답변 아래에 제안으로 있습니다. 거기서 승인하시거나, 제안이 하나뿐이면 ‘네’라고 답해 주세요.",
  "Я пока ничего не изменил. Изменение предложено под этим ответом: примите его там или, если оно одно, ответьте «да»."
)

/** Returns the section that mentions the open proposals, which the user sees next to the answer. */
export const saysProposed = (lang: Language, found: Findings): ReadonlyArray<Section> =>
  found.all.some(isProposed) ? [{ verdict: said[lang], evidence: [] }] : []

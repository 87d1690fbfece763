import type { Message } from "../../engine/messages/dictionary.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { GenerationEvent } from "../event.ts"

type Phase = Extract<GenerationEvent, { readonly kind: "status" }>["data"]["phase"]

const phaseMessages: Readonly<Record<Phase, Message>> = {
  thinking: { key: "status_thinking" },
  calling_tools: { key: "status_calling_tools" },
  answering: { key: "status_answering" },
  retrying: { key: "status_retrying" }
}

export const makeStatusEvent = (lang: Language, phase: Phase, step: number): GenerationEvent => ({
  kind: "status",
  data: { phase, step, text: formatMessage(phaseMessages[phase], lang) }
})

import { allScopes, type Language } from "@tapeline/core/engine"
import { Effect } from "effect"
import { converse } from "./converse.ts"

interface SampleConversation {
  readonly lang: Language
  readonly title: string
  readonly messages: ReadonlyArray<string>
}

const sampleConversations: ReadonlyArray<SampleConversation> = [
  {
    lang: "en",
    title: "In English",
    messages: [
      "How's bitcoin holding up today, and is funding getting hot?",
      "what are the odds it falls below 65k by tomorrow?"
    ]
  },
  {
    lang: "ko",
    title: "In Korean",
    messages: ["솔라나 롱 잡으려는데 손절 어디가 좋을까?", "비트코인 10만 달러 넘으면 알려줘"]
  },
  {
    lang: "ru",
    title: "In Russian",
    messages: [
      "Стоит ли продавать волатильность по эфиру, как IV против реализованной?",
      "а корреляция с насдаком?"
    ]
  }
]

const formatCall = (tool: string, args: unknown): string => `\`${tool} ${JSON.stringify(args)}\``

export const renderTranscripts = Effect.map(
  Effect.forEach(sampleConversations, ({ lang, messages, title }) =>
    Effect.map(
      converse({ lang, messages, coin: null, facts: {}, journal: [], scopes: allScopes }),
      (replies) =>
        [
          `### ${title}`,
          ...replies.flatMap(({ calls, proposals, suggestions, text }, i) => [
            `**${messages[i] ?? ""}**`,
            calls.length === 0
              ? "Called: nothing."
              : `Called: ${calls.map((call) => formatCall(call.name, call.arguments)).sort().join(", ")}.`,
            ...proposals.map((proposal) => `Proposed: ${formatCall(proposal.tool, proposal.arguments)}.`),
            text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n"),
            `Suggested: ${suggestions.join(" / ")}`
          ])
        ].join("\n\n")
    )),
  (parts) => parts.join("\n\n")
)

export const startMarker = "<!-- transcripts: written by npm run eval:transcripts -->"
export const endMarker = "<!-- end of transcripts -->"

export const replaceTranscripts = (page: string, transcripts: string): string => {
  const from = page.indexOf(startMarker)
  const to = page.indexOf(endMarker)
  if (from < 0 || to < from) throw new Error("the page lacks the markers between which the transcripts are written")
  return `${page.slice(0, from + startMarker.length)}\n\n${transcripts}\n\n${page.slice(to)}`
}

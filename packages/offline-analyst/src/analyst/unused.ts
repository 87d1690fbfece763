import { describeCall, unusedWords } from "@tapeline/core/agent"
import type { Desk, Planned, Section } from "./intent.ts"
import { asWrite } from "./proposing.ts"
import { text } from "./writing/text.ts"

const said = {
  unused: text(
    "I have written nothing: I do not know what “{words}” in your message stands for. Say what it is, or leave it out.",
    "아무것도 기록하지 않았습니다. 메시지의 “{words}”이(가) 무엇인지 알 수 없습니다. 무엇인지 밝히거나 빼고 다시 말씀해 주세요.",
    "Я ничего не записал: не понимаю, что в вашем сообщении значит «{words}». Скажите, что это, или уберите."
  ),
  understood: text("Understood so far: {what}.", "이해한 내용: {what}.", "Понято: {what}."),
  size: text(
    "A size is stated in dollars, as in “size 500 USD”.",
    "규모는 달러로 적습니다. 예: “규모 500달러”.",
    "Размер указывают в долларах: например, «размер 500 долларов»."
  )
}

interface Guarded {
  readonly calls: ReadonlyArray<Planned>
  readonly sections: ReadonlyArray<Section>
}

/**
 * Removes writes whose arguments miss a number or instrument of the user's message, because they would store less than
 * the user said.
 */
export const withoutPartialWrites = (
  message: string,
  calls: ReadonlyArray<Planned>,
  { format, lang, say }: Desk
): Guarded => {
  const writes = calls.flatMap((call) => asWrite(call) ?? [])
  if (writes.length === 0) return { calls, sections: [] }
  const words = unusedWords(message, calls.map(({ arguments: args }) => args), calls.flatMap(({ from = [] }) => from))
  if (words.length === 0) return { calls, sections: [] }
  return {
    calls: calls.filter((call) => asWrite(call) === null),
    sections: [{
      verdict: say(said.unused, { words: format.list(words) }),
      evidence: [
        ...writes.map(({ arguments: args, name }) => say(said.understood, { what: describeCall(name, args, lang) })),
        writes.some(({ arguments: args, name }) =>
            /^(?:set|update)_position$/.test(name) &&
            (args["size_usd"] === undefined || words.some((word) => Number(word) === args["size_usd"]))
          )
          ? say(said.size, {})
          : null
      ]
    }]
  }
}

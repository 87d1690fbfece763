/** A request for a note: what asks for it, what it is to say, and the message without what it is to say. */
export interface AskedNote {
  readonly lead: string
  readonly content: string
  readonly around: string
}

// Words of a list end where they end: "into" read as "in" and "to" as well would take twice as long with each of them.
const english =
  /(?:(?:add|make|write|save|record|log|leave|put|take|enter)(?: down)? (?:(?:this|it|the following|a|an|one|new|quick|short|my|the|me|to|in|into|trading|trade|journal|diary|as|for)(?![a-z]) ?)*(?:notes?|journal|diary|entry|memo)[^:.\n!?"“]{0,40}?|(?:note down|jot down|write down|note in my journal|(?<!(?:a|my|our|the|this|trade|trading) )journal)(?: (?:this|in my journal|for (?:trade|the)[^:.\n]{0,20}))?)(?:: ?| - | that (?=\S)| ?(?=["“]))/iu
const russian =
  /(?:добавь|запиши|сделай|сохрани|внеси|оставь|занеси)(?:те)?[^:.\n!?«"]{0,40}(?:заметк|журнал|дневник)[^:.\n!?«"]{0,30}?(?:: ?| - |, что | ?(?=[«"]))|запиши(?:те)?, что (?=\S)/iu
const koreanAfter = /(?:메모|노트|일지|저널)[^:.\n!?"“]{0,20}(?:줘요?|주세요|부탁\S{0,4}) ?[:-] ?/u
const koreanQuoted =
  /["'“‘「]([^"'”’」\n]{1,2000})["'”’」] ?(?:이?라고|고|는|란) ?((?:[^.\n!?"“”«»「」『』]{0,20})(?:메모|노트|일지|저널|기록|적어|남겨)[^.\n!?"“”«»「」『』]{0,20})/u
const koreanPlain =
  /(?:(?:메모|노트|일지|저널)에 )?([^.\n!?"“”«»「」『』:]{2,500}?(?=이?라고|다고)다?)(?:이?라고|고) ?((?:메모|노트|일지|저널|기록|적어|남겨)[^.\n!?"“”«»「」『』]{0,20})/u
const quotedAfter = /^["“«'‘]([^"”»’]{1,9000})["”»'’]?/u

/** What stands in the same clause before a Korean request: of what the note is. */
const subjectBefore = /[^.,:\n!?"“]{1,40}$/u

const after = (text: string, found: RegExpExecArray, subject = ""): AskedNote => {
  const end = found.index + found[0].length
  const rest = text.slice(end).trim()
  const quoted = quotedAfter.exec(rest)
  // A quoted note ends with its quotation; any other goes on to the end, so that nothing in it is taken for a request.
  const content = quoted === null ? rest : quoted[1]!
  const further = quoted === null ? "" : rest.slice(quoted[0].length)
  return {
    lead: subject + found[0],
    content,
    around: `${text.slice(0, found.index)}${found[0].replace(/[:,-] ?$| that $|, что $/iu, "")}.${further}`
  }
}

/** The note that a message asks for, if it asks for one in so many words. */
export const noteIn = (text: string): AskedNote | null => {
  for (const pattern of [english, russian, koreanAfter]) {
    const found = pattern.exec(text)
    if (found === null || text.length <= found.index + found[0].length) continue
    const before = pattern === koreanAfter ? subjectBefore.exec(text.slice(0, found.index)) : null
    return after(text, found, before?.[0])
  }
  for (const pattern of [koreanQuoted, koreanPlain]) {
    const found = pattern.exec(text)
    if (found === null) continue
    const [all, content = "", ask = ""] = found
    return {
      lead: ask,
      content: content.trim(),
      around: `${text.slice(0, found.index)} 메모 ${ask}${text.slice(found.index + all.length)}`
    }
  }
  return null
}

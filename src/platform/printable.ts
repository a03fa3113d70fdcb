// Makes foreign text safe to show: a node's error or a token's name must not move the cursor or colour the screen.

const controls = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g

/** One line without control characters and text direction marks. */
export const printable = (text: string): string => text.replace(controls, " ").trim()

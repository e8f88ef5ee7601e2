"use strict";
// Whatever was recorded becomes text nodes, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const TILE = 32;
const ACROSS = 64;
const SVG = "http://www.w3.org/2000/svg";
const many = Boolean(data.listing) && data.listing.rows.length > 1;
let game = data.games[0];
let frames = [];
let last = 0;
let at = 0;
let timer = null;
let flipped = false;
let sheet = null;

function make(tag, text, kind) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function fold(title, open, ...content) {
  const details = make("details");
  details.open = open;
  details.append(make("summary", title), ...content);
  return details;
}

function passage(text, kind) {
  const block = make("pre", text === "" ? "(empty)" : text, kind);
  block.dir = "auto";
  return block;
}

function signed(number) {
  return (number > 0 ? "+" : number < 0 ? "−" : "") + Math.abs(number);
}


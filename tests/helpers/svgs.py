"""SVG files: harmless ones of every kind that icons have, and attacks on whoever opens them."""

from __future__ import annotations

ROOT = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"'
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
INKSCAPE = (
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
    'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" inkscape:version="1.3"'
)


def svg(content: str, attributes: str = "") -> bytes:
    return f"<svg {ROOT}{' ' + attributes if attributes else ''}>{content}</svg>".encode()


PLAIN = {
    "path": '<path d="M1.50,2e-3 .5-.5A1 1 0 01 2 3z" fill="#0Af"/>',
    "every shape": '<circle cx="4" cy="4" r="3"/><ellipse rx="1" ry="2"/><line x2="1"/>'
    '<polygon points="0,0 1,1 0,1"/><polyline points="0 0 1 1"/><rect rx="1" width="1"/>',
    "colors": '<g color="currentColor" fill="none" stroke="rgb(0 0 0 / 50%)"/>'
    '<g fill="rgba(1, 2, 3, .5)" stroke="hsl(120deg 50% 50%)"/><g fill="inherit"/>',
    "wide gamut": '<g style="fill:color(display-p3 1 0 0);fill-opacity:1"/>',
    "gradients": '<defs><linearGradient id="a"><stop offset="0%" stop-color="red"/>'
    "</linearGradient>"
    '<radialGradient gradientTransform="rotate(45)" href="#a" id="b"/></defs>'
    '<path d="M0 0" fill="url(#a)" stroke="url(#b) none"/>',
    "quoted reference": '<mask id="a"/><g style="mask:url(\'#a\')"/>',
    "clip and mask": '<clipPath clipPathUnits="userSpaceOnUse" id="c"><rect/></clipPath>'
    '<mask id="m" style="mask-type:alpha"><g/></mask><g clip-path="url(#c)" mask="url(#m)"/>',
    "use": '<symbol id="s" viewBox="0 0 1 1"><rect/></symbol><use href="#s" width="2" x="1"/>',
    "transforms": '<g transform="translate(1,2) rotate(-45 4 4),scale(.5)matrix(1 0 0 1 0 0)"/>',
    "text": '<text font-family="Inter, \'Noto Sans\', 微软雅黑" x="1" xml:space="preserve"> a '
    '<tspan dy="1em">b</tspan> </text>',
    "escapes": '<title>a &lt; b &amp; c &gt; d "e" é &#13;</title>',
    "escaped values": '<g aria-label="&amp;&gt; &quot;x&quot;&#9;&#10;&#13;\'"/>',
    "labels": '<g aria-hidden="true" class="st0 a-1" data-name="Layer" id="图层_1" role="img"/>',
    "id with a space": '<g id="Group 1 (copy)"/>',
    "nested svg": '<svg height="1" viewBox="0 0 1 1" width="1"><rect/></svg>',
    "style": '<g style="fill:#fff;stroke-width:1.5px;marker:none;mix-blend-mode:multiply"/>',
    "unused property": '<g style="enable-background:new 0 0 24 24"/>',
    "old zoom": '<svg height="1" width="1" zoomAndPan="magnify"/>',
}
EDITED = {
    "attributes in another order": "<rect y='1' x='2'/>",
    "white space and comments": "\n <!-- x --> <g>\t<rect /> </g>\n",
    "empty element": "<g></g>",
    "CDATA": "<title><![CDATA[<b> & ]]></title>",
    "character references": "<title>&#x41;&lt;</title>",
    "line ends in a value": '<path d="M0 0\r\nL1 1"/>',
    "style with blanks": '<g style=" fill : red ;; "/>',
    "order of style": '<g style="fill:red;fill:blue;fill:red"/>',
    "Inkscape's properties": '<g style="-inkscape-stroke:none;fill:red"/>',
    "old link": f'<g id="a"/><use {XLINK} xlink:href="#a"/>',
    "both links": f'<g id="a"/><use {XLINK} xlink:href="#a" href="#a" xlink:title="t"/>',
    "prefix for SVG itself": '<s:g xmlns:s="http://www.w3.org/2000/svg" fill="red"><s:rect/></s:g>',
    "editor's data": f"<g {INKSCAPE}>"
    "<sodipodi:v>t<inkscape:grid x='javascript:1'/></sodipodi:v></g>",
    "editor's attributes": f"<g {INKSCAPE}><rect sodipodi:nodetypes='cc' inkscape:label='x'/></g>",
    "metadata": f"<metadata><rdf:RDF {INKSCAPE}><rdf:li>x</rdf:li></rdf:RDF></metadata><g/>",
}
STYLED = {
    "classes": "<style type='text/css'>\n.a{fill:red;}\n\t.b,.c-1{opacity:.5}</style>"
    '<g class="a"/><g class=" c-1 a"/><g class="d"/>',
    "own style last": '<style>.a{fill:red}</style><g class="a" style="fill:blue" stroke="red"/>',
    "weight before order": "<style>#i{fill:#001}g.a{fill:#002}.a{fill:#003}.a.b{fill:#004}"
    'g{fill:#005}</style><g class="a b" id="i"/>',
    "after what it is about": '<g class="a"/><defs>'
    "<style><![CDATA[/* x */ <!-- .a { fill : red } -->]]></style></defs>",
    "references": '<style>.a{fill:url(#p)}</style><linearGradient id="p"/><g class="a"/>',
    "two sheets": '<style>g{fill:red}</style><style id="x"/><style>g{fill:blue}</style><g/>',
    "another's style": '<x:style xmlns:x="urn:x">@import "y"</x:style>'
    "<style>g{fill:red}</style><g/>",
    "for nothing here": "<style>.a,text{fill:red}</style><g/>",
}
SUSPICIOUS = {
    "importance": "<g style='fill:red!important'/>",
    "words of scripts in a class": "<g class='javascript:alert(1)'/>",
    "words of scripts in data": "<g data-href='JavaScript :alert(1)'/>",
    "words of addresses in a label": "<g aria-label='url( https://evil.example )'/>",
    "two links": f"<use {XLINK} xlink:href='#a' href='#b'/><g id='a'/><g id='b'/>",
    "text that is not shown": "hidden text",
    "links to nothing": "<use href='#none'/><g fill='url(#none)'/>",
    "links to another kind": "<g id='a'/><g fill='url(#a)' clip-path='url(#a)'/>",
    "an id used twice": "<g id='a'/><g id='a'/><use href='#a'/>",
    "a comment of a style sheet": "<style>/* ' \" url : ; */ g{fill:red}</style><g/>",
    "metadata with text": "<metadata>script</metadata>",
    "huge": "<rect width='1e38' height='99999999999px'/>",
}
"""Harmless ones that look otherwise."""
HARMLESS = {**PLAIN, **EDITED, **STYLED, **SUSPICIOUS}


HTML = 'xmlns:h="http://www.w3.org/1999/xhtml"'
EVENTS = 'xmlns:ev="http://www.w3.org/2001/xml-events"'
ATTACKS = [
    svg("<style>/*@*/ @import url(//evil.example); /* */</style>"),
    svg("<style>.a{font-family:'/*'} .b{mask:url(//evil.example)} .c{font-family:'*/'}</style>"),
    svg(
        "<style>.a{font-family:&quot;x\ny&quot;}/*\n} "
        "@font-face{font-family:e;src:url(//evil.example)} */</style><text font-family='e'>a</text>"
    ),
    svg("<style>g{fill:red}/* </style><style> */ @import '//evil.example';</style>"),
    svg("<style>g{fill:image-set('//evil.example/a.png' 1x)}</style>"),
    svg("<style>g{mask:src('//evil.example/a.svg#a')}</style>"),
    svg("<style>@namespace 'x';g{fill:red}</style>"),
    svg("<style>g{fill:red} g{g{fill:url(//evil.example)}}</style>"),
    svg("<style><![CDATA[@import '//evil.example';]]></style>"),
    svg("<style>&#64;import '//evil.example';</style>"),
    svg("<style href='//evil.example/x.css'/>"),
    svg("<use href='javascript&#58;alert(1)'/>"),
    svg("<a href='java&#9;script&#58;alert(1)'><text y='4'>a</text></a>"),
    svg("<rect><set attributeName='href' to='javascript:alert(1)'/></rect>"),
    svg(f"<a {XLINK}><animate attributeName='xlink:href' to='javascript:alert(1)'/><rect/></a>"),
    svg("<y:use xmlns:y='http://www.w3.org/2000/svg' href='//evil.example#a'/>"),
    svg("<use xmlns:l='http://www.w3.org/1999/xlink' l:href='//evil.example#a'/>"),
    svg("<s:script xmlns:s='http://www.w3.org/2000/sv&#103;'>alert(1)</s:script>"),
    svg("<x:a xmlns:x='urn:x'><x:b xmlns:x='http://www.w3.org/2000/svg'/></x:a>"),
    svg("<image href='data:text/html;base64,PHNjcmlwdD4='/>"),
    svg("<image href='data:image/png;base64,PHN2Zy8+'/>"),
    svg("<image href='data:image/png;base64,iVBORw0KGgo'/>"),
    svg("<image href='data:image/gif;base64,R0lGODlhAQABAAAAADs='/>"),
    svg("<image href='data:image/png,%89PNG'/>"),
    svg("<image href='#a'/><g id='a'/>"),
    svg("<g mask='url(#a)' style='mask:image(//evil.example)'/>"),
    svg("<g fill='image(//evil.example)'/>"),
    svg("<g fill='rgb(url(//evil.example))'/>"),
    svg("<marker id='m'><path d='M0 0'/></marker>"),
    svg("<pattern id='p'><rect/></pattern>"),
    svg("<?xml-stylesheet href='//evil.example/x.css'?>"),
    svg("<?php echo 1 ?><g/>"),
    b"<!DOCTYPE svg>" + svg("<g/>"),
    svg("<script>alert(1)</script>"),
    svg("<script href='//evil.example/x.js'/>"),
    svg(f"<script {XLINK} xlink:href='data:text/javascript,alert(1)'/>"),
    svg("<s:script xmlns:s='http://www.w3.org/2000/svg'>alert(1)</s:script>"),
    svg(f"<h:script {HTML}>alert(1)</h:script>"),
    svg("<script xmlns='http://www.w3.org/1999/xhtml'>alert(1)</script>"),
    svg("<script xmlns=''>alert(1)</script>"),
    svg("<SCRIPT>alert(1)</SCRIPT>"),
    svg("<metadata><script>alert(1)</script></metadata>"),
    svg("<x:a xmlns:x='urn:x'><script>alert(1)</script></x:a>"),
    svg(f"<x:a xmlns:x='urn:x'><h:script {HTML}>alert(1)</h:script></x:a>"),
    svg("<title><script>alert(1)</script></title>"),
    svg("<desc><h:img xmlns:h='http://www.w3.org/1999/xhtml' src='x' onerror='alert(1)'/></desc>"),
    svg("", "onload='alert(1)'"),
    svg("", "ONLOAD='alert(1)'"),
    svg("", "onbegin='alert(1)'"),
    svg("<path d='M0 0' onclick='alert(1)'/>"),
    svg("<g onfocusin='alert(1)' tabindex='1'/>"),
    svg(f"<g {HTML} h:onclick='alert(1)'/>"),
    svg("<g s:onclick='alert(1)' xmlns:s='http://www.w3.org/2000/svg'/>"),
    svg("<handler xmlns:ev='http://www.w3.org/2001/xml-events' ev:event='load'>alert(1)</handler>"),
    svg(f"<ev:listener {EVENTS} event='load' handler='#h'/>"),
    svg(f"<g {EVENTS} ev:event='load'/>"),
    svg("<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>"),
    svg("<foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' srcdoc='x'/></foreignObject>"),
    svg(f"<h:iframe {HTML} src='javascript:alert(1)'/>"),
    svg(f"<h:body {HTML} onload='alert(1)'/>"),
    svg("<switch><foreignObject/></switch>"),
    svg("<a href='javascript:alert(1)'><rect/></a>"),
    svg(f"<a {XLINK} xlink:href='https://evil.example'><rect/></a>"),
    svg("<image href='https://evil.example/pixel.png'/>"),
    svg("<image href='data:image/svg+xml;base64,PHN2Zy8+'/>"),
    svg("<feImage href='#a'/>"),
    svg("<filter id='f'><feImage href='https://evil.example/x'/></filter>"),
    svg("<filter id='f'><feBlend><script>alert(1)</script></feBlend></filter>"),
    svg("<filter id='f'><feFlood><animate attributeName='x'/></feFlood></filter>"),
    svg("<filter id='f'><foreignObject/></filter>"),
    svg("<filter id='f'><g/></filter>"),
    svg("<feBlend/>"),
    svg("<g style='filter:url(data:x#a)'/>"),
    svg("<g filter='progid:DXImageTransform.Microsoft.Alpha(src=x)'/>"),
    svg("<use href='https://evil.example/x.svg#a'/>"),
    svg("<use href='x.svg#a'/>"),
    svg("<use href='//evil.example#a'/>"),
    svg("<use href='data:image/svg+xml,&lt;svg id=\"a\"/>#a'/>"),
    svg("<use href='javascript:alert(1)'/>"),
    svg("<use href=' java&#10;script:alert(1)'/>"),
    svg(f"<use {XLINK} xlink:href='#a' href='https://evil.example#a'/><g id='a'/>"),
    svg("<linearGradient href='https://evil.example/x.svg#a'/>"),
    svg("<g xml:base='https://evil.example/'><use href='#a'/></g><g id='a'/>"),
    svg("<animate attributeName='href' values='javascript:alert(1)'/>"),
    svg("<set attributeName='onmouseover' to='alert(1)'/>"),
    svg("<rect><animateTransform onbegin='alert(1)' attributeName='x' dur='1s'/></rect>"),
    svg("<animateMotion/>"),
    svg("<discard href='#a'/>"),
    svg("<style>@import 'https://evil.example/x.css'</style>"),
    svg("<style>*{background:url(javascript:alert(1))}</style>"),
    svg("<h:link xmlns:h='http://www.w3.org/1999/xhtml' rel='stylesheet' href='//evil.example'/>"),
    svg("<g style='background:url(https://evil.example)'/>"),
    svg("<g style='fill:url(https://evil.example#a)'/>"),
    svg("<g style='fill:URL(#a)'/>"),
    svg("<g style='fill:u\\72l(https://evil.example)'/>"),
    svg("<g style='fill:url/**/(https://evil.example)'/>"),
    svg("<g style='fill:red/*'/>"),
    svg("<g style='fill:expression(alert(1))'/>"),
    svg("<g style='fill:var(--x)'/>"),
    svg("<g style='--x:url(https://evil.example)'/>"),
    svg("<g style='behavior:url(#default#time2)'/>"),
    svg("<g style='-moz-binding:url(https://evil.example/x.xml#a)'/>"),
    svg("<g style='cursor:url(https://evil.example/x.cur),auto'/>"),
    svg("<g style='font-family:\"a;background:url(//evil.example)\"'/>"),
    svg("<g style='@import url(//evil.example)'/>"),
    svg("<g style='fill'/>"),
    svg("<g fill='url(https://evil.example/x.svg#a)'/>"),
    svg("<g fill='url(#a) url(https://evil.example)'/><linearGradient id='a'/>"),
    svg("<g fill='url(#a'/>"),
    svg("<g filter='url(https://evil.example/x.svg#a)'/>"),
    svg("<g mask='url(//evil.example#a)'/>"),
    svg("<g clip-path='url(\"data:x#a\")'/>"),
    svg("<g marker-start='url(https://evil.example#a)'/>"),
    svg("<g cursor='url(https://evil.example)'/>"),
    svg("<g src='https://evil.example'/>"),
    svg("<g ping='https://evil.example'/>"),
    svg("<g externalResourcesRequired='true'/>"),
    svg("<font-face-uri href='https://evil.example/x.svg#f'/>"),
    svg("<text><textPath href='https://evil.example/x.svg#p'/></text>"),
    svg("<color-profile href='https://evil.example/x.icc' name='c'/>"),
    svg("<pattern id='p'><image href='https://evil.example'/></pattern>"),
    svg("<view id='v'/>"),
    svg("<unknown/>"),
    svg("<h:math xmlns:h='http://www.w3.org/1998/Math/MathML'/>"),
    svg("<undeclared:g/>"),
    svg("<g undeclared:x='1'/>"),
    svg("<g xmlns:x='' x:y='1'/>"),
    svg("<g a:b:c='1' xmlns:a='urn:a'/>"),
    svg("<g xmlns:a:b='urn:a' a:b:c='1'/>"),
    svg("<:g/>"),
    svg("<g :fill='red'/>"),
    svg("<x: xmlns:x='urn:x'/>"),
    svg(f"<h:title {HTML}>x</h:title>"),
    svg("<path xmlns='' d='M0 0'/>"),
    svg("<x:a xmlns:x='urn:x'><path d='M0 0'/></x:a>"),
    svg("<metadata><g/></metadata>"),
    svg("<use href='a'/>"),
    svg("<use href=''/>"),
    f"<g {ROOT}/>".encode(),
    f"<x:svg xmlns:x='urn:x' {ROOT}/>".encode(),
    f"<metadata {ROOT}/>".encode(),
    b"<?xml-stylesheet href='https://evil.example/x.xsl' type='text/xsl'?>" + svg(""),
    b"<?xml-stylesheet href='javascript:alert(1)'?>" + svg("<g/>"),
    b"<!DOCTYPE svg [<!ENTITY a 'x'>]>" + svg("<title>&a;</title>"),
    b"<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>" + svg("<title>&a;</title>"),
    b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'https://evil.example/svg11.dtd'>"
    + svg("<title>&a;</title>"),
    b"<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'alert(1)'>]>" + svg(""),
    b"<!DOCTYPE html><script>alert(1)</script>",
    b"<html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>",
    b"<script>alert(1)</script>",
    b"<svg viewBox='0 0 1 1'><script>alert(1)</script></svg>",
    svg("") + b"<script xmlns='http://www.w3.org/2000/svg'>alert(1)</script>",
    svg("&undefined;"),
    svg("<title>+ADw-script+AD4-</title>").replace(
        b"<svg", b"<?xml version='1.0' encoding='utf-7'?><svg"
    ),
    b"<?xml version='1.0' encoding='iso-2022-jp'?>" + svg("<title>\x1b(J</title>"),
    b"<?xml version='1.0' encoding='utf-16'?>" + svg(""),
    svg("<title>alert</title>").decode().encode("utf-16"),
    svg("<title>alert</title>").decode().encode("utf-16-le"),
    svg("<title>alert</title>").decode().encode("utf-16-be"),
    "<!DOCTYPE svg [<!ENTITY a 'alert'>]>".encode("utf-16-le")
    + svg("<title>&a;</title>").decode().encode("utf-16-le"),
    b"\xef\xbb\xbf" + svg("<title>alert</title>").decode().encode("utf-16-le"),
    svg("<title>\xff</title>").decode().encode("latin-1"),
    svg("<title>\0</title>"),
    svg("<title>&#0;</title>"),
]

PIECES = [
    *("<g id='a'>", "</g>", "<use href='#a'/>", "<style>", "</style>", "<title>", "</title>"),
    *(
        "g{fill:url(#a)}",
        ".b{mask:url(//127.0.0.1/b)}",
        "@import '//127.0.0.1/c';",
        "/*",
        "*/",
        "'",
    ),
    *("<image href='//127.0.0.1/d'/>", "<script>alert(1)</script>", "<g onclick='alert(1)'/>"),
    *(
        "<metadata>",
        "</metadata>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<x:y xmlns:x='urn:x'>",
        "</x:y>",
    ),
    *("<g class='b' style='mask:url(#a)'/>", "<rect width='8' height='8' fill='red'/>"),
]
"""Parts of files, from which attacks can be put together."""

// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// An ERC-721 anyone may mint; ids count up from 1. Metadata is a data URI, so that no server is needed to read it.
contract Collectible {
    string public constant name = "Tidepool Creatures";
    string public constant symbol = "TIDE";
    uint256 public totalSupply;
    uint256 public lastId;
    mapping(uint256 => address) private owners;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public getApproved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "Collectible: no such token");
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        string memory number = _decimal(id);
        return
            string.concat(
                'data:application/json;utf8,{"name":"Creature #',
                number,
                '","description":"Found at low tide.","attributes":[{"trait_type":"Arms","value":',
                _decimal((uint256(keccak256(abi.encode(id))) % 9) + 1),
                "}]}"
            );
    }

    function mint(address to) external returns (uint256 id) {
        id = ++lastId;
        totalSupply++;
        owners[id] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, id);
    }

    function approve(address spender, uint256 id) external {
        address owner = ownerOf(id);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], "Collectible: not allowed");
        getApproved[id] = spender;
        emit Approval(owner, spender, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 id) external {
        _release(from, id);
        owners[id] = to;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }

    function burn(uint256 id) external {
        address owner = ownerOf(id);
        _release(owner, id);
        delete owners[id];
        totalSupply--;
        emit Transfer(owner, address(0), id);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function _release(address from, uint256 id) private {
        address owner = ownerOf(id);
        require(owner == from, "Collectible: wrong owner");
        require(
            msg.sender == owner || getApproved[id] == msg.sender || isApprovedForAll[owner][msg.sender],
            "Collectible: not allowed"
        );
        delete getApproved[id];
        balanceOf[from]--;
    }

    function _decimal(uint256 value) private pure returns (string memory) {
        if (value == 0) return "0";
        uint256 length = 0;
        for (uint256 rest = value; rest > 0; rest /= 10) length++;
        bytes memory digits = new bytes(length);
        for (; value > 0; value /= 10) digits[--length] = bytes1(uint8(48 + (value % 10)));
        return string(digits);
    }
}

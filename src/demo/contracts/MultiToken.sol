// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// An ERC-1155 anyone may mint. Receivers are not asked: the demo only sends to accounts without code.
contract MultiToken {
    string public constant name = "Harbour Goods";
    mapping(uint256 => mapping(address => uint256)) private balances;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);
    event URI(string value, uint256 indexed id);

    function uri(uint256) external pure returns (string memory) {
        return "ipfs://bafybeigdemoharbourgoods/{id}.json";
    }

    function setURI(uint256 id, string calldata value) external {
        emit URI(value, id);
    }

    function balanceOf(address owner, uint256 id) public view returns (uint256) {
        return balances[id][owner];
    }

    function balanceOfBatch(address[] calldata owners, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory result)
    {
        require(owners.length == ids.length, "MultiToken: lengths differ");
        result = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) result[i] = balances[ids[i]][owners[i]];
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function mint(address to, uint256 id, uint256 value) external {
        balances[id][to] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata values) public {
        require(ids.length == values.length, "MultiToken: lengths differ");
        for (uint256 i = 0; i < ids.length; i++) balances[ids[i]][to] += values[i];
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function mintBatchToMany(address[] calldata to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < to.length; i++) mintBatch(to[i], ids, values);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata) external {
        _checkAllowed(from);
        _take(from, id, value);
        balances[id][to] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata
    ) external {
        _checkAllowed(from);
        require(ids.length == values.length, "MultiToken: lengths differ");
        for (uint256 i = 0; i < ids.length; i++) {
            _take(from, ids[i], values[i]);
            balances[ids[i]][to] += values[i];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
    }

    function burn(uint256 id, uint256 value) external {
        _take(msg.sender, id, value);
        emit TransferSingle(msg.sender, msg.sender, address(0), id, value);
    }

    function burnBatch(uint256[] calldata ids, uint256[] calldata values) external {
        require(ids.length == values.length, "MultiToken: lengths differ");
        for (uint256 i = 0; i < ids.length; i++) _take(msg.sender, ids[i], values[i]);
        emit TransferBatch(msg.sender, msg.sender, address(0), ids, values);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function _checkAllowed(address from) private view {
        require(from == msg.sender || isApprovedForAll[from][msg.sender], "MultiToken: not allowed");
    }

    function _take(address from, uint256 id, uint256 value) private {
        require(balances[id][from] >= value, "MultiToken: balance too low");
        balances[id][from] -= value;
    }
}
